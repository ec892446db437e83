package io.mongolock;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A call of a method that was not run, because others hold its lock. Immutable, except
 * for the bean and the arguments themselves.
 *
 * @param bean the object behind the proxy, {@code null} if there is none
 * @param method the most specific method
 * @param arguments the arguments of the call
 * @param resultType the result type of the method, as the class of the bean declares it
 */
public record UnavailableCall(@Nullable Object bean, Method method, List<@Nullable Object> arguments,
		Class<?> resultType) {

}
