package io.mongolock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;

/**
 * One declared lock of a method: which lock it is, and how it is held.
 *
 * @param method the most specific method
 * @param name the first part of the key, a literal
 * @param key the second part of the key, a SpEL expression
 * @param condition a SpEL expression that tells whether a call needs the lock
 * @param document the type of the documents that have the lock in a field, {@code null}
 * if the lock has a document of its own
 * @param settings the settings in the declaration itself
 * @param onUnavailable what happens if another holder has the lock
 * @param fallback the method of the same bean that answers if another holder has the lock
 * @param unavailableHandler the name of the bean that answers if another holder has the
 * lock
 * @param onLost what happens if the lock is lost
 */
public record LockOperation(Method method, @Nullable String name, @Nullable String key, @Nullable String condition,
		@Nullable Class<?> document, LockSettings settings, OnUnavailable onUnavailable, @Nullable Method fallback,
		@Nullable String unavailableHandler, OnLost onLost) {

}
