package io.mongolock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.LockOperationSource;

/**
 * Finds {@link DistributedLock @DistributedLock}: first on the most specific method and
 * the methods that it implements or overrides, then on the class of the bean and its
 * supertypes. Each method is looked at once.
 */
public class AnnotationLockOperationSource implements LockOperationSource {

	private static final Log logger = LogFactory.getLog(AnnotationLockOperationSource.class);

	private final DistributedLockParser parser;

	private final Set<Method> leftOut = ConcurrentHashMap.newKeySet();

	private final AnnotatedTypes annotated = new AnnotatedTypes();

	private final Map<MethodClassKey, List<LockOperation>> operations = new ConcurrentHashMap<>(256);

	/**
	 * Create a new source.
	 * @param placeholders replaces {@code ${…}}
	 * @param unavailableHandler the name of the {@code LockUnavailableHandler} for
	 * methods that declare no other answer, empty for none
	 */
	public AnnotationLockOperationSource(StringValueResolver placeholders, String unavailableHandler) {
		this.parser = new DistributedLockParser(placeholders, unavailableHandler);
	}

	@Override
	public boolean isCandidateClass(Class<?> targetClass) {
		return this.annotated.isIn(targetClass);
	}

	@Override
	public List<LockOperation> getLockOperations(Method method, Class<?> targetClass) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return List.of();
		}
		MethodClassKey key = new MethodClassKey(method, targetClass);
		List<LockOperation> known = this.operations.get(key);
		if (known == null) {
			known = find(method, targetClass);
			this.operations.put(key, known);
		}
		return known;
	}

	private List<LockOperation> find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		// The methods of a JDK proxy, for example of a repository, have neither
		// parameter names nor annotations
		Method specific = (Proxy.isProxyClass(userClass)) ? ClassUtils.getInterfaceMethodIfPossible(method, userClass)
				: AopUtils.getMostSpecificMethod(method, userClass);
		LockDeclarations declarations = new LockDeclarations(specific, userClass);
		if (declarations.isLeftOut() && this.leftOut.add(specific)) {
			logger.warn("@DistributedLock on " + userClass.getName() + " locks only its public methods, so "
					+ specific.getName()
					+ ", which the container calls, runs WITHOUT the lock. Make this method public, or annotate the "
					+ "method itself");
		}
		return this.parser.parse(declarations.find(), specific, userClass);
	}

}
