package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;

/**
 * One lock that was declared for a method: which it is, and how it is held.
 *
 * @param method the most specific method
 * @param name first part of the key, literal
 * @param key second part of the key, a SpEL expression
 * @param condition a SpEL expression that says whether a call needs the lock
 * @param document the type of the documents that are locked themselves, {@code null} if
 * the lock is beside them
 * @param settings what the declaration says itself
 * @param onUnavailable what happens if another holds the lock
 * @param fallback the method of the same bean that answers then
 * @param unavailableHandler the name of the bean that answers then
 * @param onLost what happens if the lock is lost
 */
public record LockOperation(Method method, @Nullable String name, @Nullable String key, @Nullable String condition,
		@Nullable Class<?> document, LockSettings settings, OnUnavailable onUnavailable, @Nullable Method fallback,
		@Nullable String unavailableHandler, OnLost onLost) {

}
