/**
 * Keeps leases for the next claim of a client when their last holders are done. Optional:
 * the client creates {@link IdleLeaseReaper} with the first attempt at a lock that
 * lingers, and otherwise knows only {@link io.mongolock.core.Linger}.
 * <ul>
 * <li>{@link IdleLeases} decides which lease is kept, and until when.
 * {@link LingerPolicy} decides for which keys that pays.</li>
 * <li>{@link IdleLeaseReaper} has due leases released, and has recalls watched.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.linger;

import org.jspecify.annotations.NullMarked;
