/**
 * Leases and what keeps them: how long one is relied on, when it is renewed, and when it
 * is lost.
 */
@NullMarked
package io.mongolock.renewal;

import org.jspecify.annotations.NullMarked;
