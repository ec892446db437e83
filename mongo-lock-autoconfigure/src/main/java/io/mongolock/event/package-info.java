/**
 * Says what happens to locks, to listeners and in the log, and holds up nobody for it.
 * <p>
 * {@link ClaimEvents}, {@link LockEvents} and {@link RenewalEvents} are told what
 * happened. They tell the {@link Listeners} on threads of their own, the
 * {@link Instruments}, which measure, at once, and the {@link LockLog}.
 */
@NullMarked
package io.mongolock.event;

import org.jspecify.annotations.NullMarked;
