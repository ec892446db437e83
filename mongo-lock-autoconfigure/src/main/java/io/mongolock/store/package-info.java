/**
 * What the client asks of a place that keeps locks.
 */
@NullMarked
package io.mongolock.store;

import org.jspecify.annotations.NullMarked;
