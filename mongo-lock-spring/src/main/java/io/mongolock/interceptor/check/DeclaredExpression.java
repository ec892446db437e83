package io.mongolock.interceptor.check;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockKeyVariables;

/**
 * An expression with the place of its declaration.
 *
 * @param attribute the attribute of the annotation
 * @param text the expression
 * @param method the most specific method
 * @param targetClass the class of the bean
 * @param variables the variables for the arguments in the expression
 */
record DeclaredExpression(String attribute, String text, Method method, Class<?> targetClass,
		LockKeyVariables variables) {

	DeclaredExpression(String attribute, String text, Method method, Class<?> targetClass) {
		this(attribute, text, method, targetClass, LockKeyVariables.of(method));
	}

	InvalidLockMethodException invalid(String problem, String action, @Nullable Exception cause) {
		return new InvalidLockMethodException(this.method, this.targetClass,
				"has the " + this.attribute + " '" + this.text + "'" + problem, action, cause);
	}

}
