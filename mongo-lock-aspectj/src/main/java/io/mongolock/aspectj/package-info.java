/**
 * Locks for calls that pass no proxy: on {@code this}, on objects that are no beans, of
 * private, static and final methods.
 * <ul>
 * <li>The aspect {@code WovenMethods} marks the methods that are woven, by
 * {@link Woven}.</li>
 * <li>{@link DistributedLockAspect} runs them under their locks, by the interceptor of
 * the application context that {@link OpenContexts} finds; but those calls that a proxy
 * has let through already, which {@link ProxiedCalls} knows.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.aspectj;

import org.jspecify.annotations.NullMarked;
