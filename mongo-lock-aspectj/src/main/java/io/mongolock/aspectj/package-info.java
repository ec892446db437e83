/**
 * Locks for calls that do not go through a proxy: calls on {@code this} or on objects
 * that are not beans, and calls of private, static and final methods.
 * <ul>
 * <li>The aspect {@code WovenMethods} marks the woven methods by {@link Woven}.</li>
 * <li>{@link DistributedLockAspect} runs these methods under their locks, by the
 * interceptor of the application context that {@link OpenContexts} finds. It does not
 * lock calls again that a proxy has already passed on. {@link ProxiedCalls} knows these
 * calls.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.aspectj;

import org.jspecify.annotations.NullMarked;
