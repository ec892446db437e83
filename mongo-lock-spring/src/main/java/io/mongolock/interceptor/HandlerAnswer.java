package io.mongolock.interceptor;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.UnavailableCall;

/**
 * Answers by calling a bean of the application.
 *
 * @param handler the name of a {@link LockUnavailableHandler}
 */
record HandlerAnswer(String handler, BeanFactory beans) implements UnavailableAnswer {

	@Override
	public @Nullable Object answer(LockedCall call, LockUnavailableException ex) throws Throwable {
		Class<?> type = ResolvableType.forMethodReturnType(call.method(), call.targetClass()).toClass();
		List<@Nullable Object> arguments = Collections.unmodifiableList(Arrays.asList(call.arguments().clone()));
		Object result = this.beans.getBean(this.handler, LockUnavailableHandler.class)
			.handle(new UnavailableCall(call.target(), call.method(), arguments, type), ex);
		if (type == void.class) {
			return null;
		}
		if (!ClassUtils.isAssignableValue(type, result)) {
			throw new IllegalStateException("LockUnavailableHandler '" + this.handler + "' returned "
					+ ((result != null) ? "a " + result.getClass().getTypeName() : "null") + " for " + call
					+ ", which returns " + type.getTypeName()
					+ ". Return a value of the type UnavailableCall.resultType(), or throw the LockUnavailableException",
					ex);
		}
		return result;
	}

}
