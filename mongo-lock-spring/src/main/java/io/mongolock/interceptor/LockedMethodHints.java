package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/**
 * Keeps in a native image the members that calls of locked methods reach by reflection.
 * These are the locked methods, their fallbacks, and the members of arguments that
 * expressions read. An invalid declaration ends the processing, as it would end the
 * start.
 */
class LockedMethodHints implements BeanRegistrationAotProcessor {

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		LockOperationSource source = bean.getBeanFactory().getBeanProvider(LockOperationSource.class).getIfAvailable();
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		if (source == null || !source.isCandidateClass(type)) {
			return null;
		}
		Map<Method, List<LockOperation>> locked = MethodIntrospector.selectMethods(type,
				(Method method) -> found(source.getLockOperations(method, type)));
		return (locked.isEmpty()) ? null
				: (generation, code) -> locked.values()
					.forEach((operations) -> operations
						.forEach((operation) -> register(generation.getRuntimeHints().reflection(), operation)));
	}

	private static @Nullable List<LockOperation> found(List<LockOperation> operations) {
		return (operations.isEmpty()) ? null : operations;
	}

	private void register(ReflectionHints hints, LockOperation operation) {
		hints.registerMethod(operation.method(), ExecutableMode.INVOKE);
		if (operation.fallback() != null) {
			hints.registerMethod(operation.fallback(), ExecutableMode.INVOKE);
		}
		if (operation.key() != null || operation.condition() != null) {
			this.properties.registerReflectionHints(hints, operation.method().getGenericParameterTypes());
		}
	}

}
