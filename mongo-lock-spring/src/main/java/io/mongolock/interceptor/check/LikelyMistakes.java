package io.mongolock.interceptor.check;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;

/**
 * Reports likely mistakes once, at startup: one lock for all arguments, transactions
 * without a manager that begins them, and transactions that the lock cannot see. They may
 * be intended, but often are not. Thread-safe.
 */
class LikelyMistakes {

	private static final Log logger = LogFactory.getLog(LikelyMistakes.class);

	private static final List<String> TRANSACTIONAL = List
		.of("org.springframework.transaction.annotation.Transactional", "jakarta.transaction.Transactional");

	/**
	 * Their transaction managers have no synchronization by default, because they often
	 * run beside the manager of a database.
	 */
	private static final List<String> OF_MESSAGES = List.of("org.springframework.amqp.", "org.springframework.jms.",
			"org.springframework.kafka.");

	private final Set<String> withoutKey = new ConcurrentSkipListSet<>();

	private final Set<String> transactional = new ConcurrentSkipListSet<>();

	/**
	 * Look at the locked methods of a class.
	 */
	void add(Map<Method, List<LockOperation>> locked, Class<?> targetClass) {
		for (List<LockOperation> locks : locked.values()) {
			Method specific = locks.get(0).method();
			if (hasArguments(specific) && isOneForAll(locks)) {
				this.withoutKey.add(InvalidLockMethodException.describe(specific, targetClass));
			}
			if (isTransactional(specific) || isTransactional(targetClass)) {
				this.transactional.add(InvalidLockMethodException.describe(specific, targetClass));
			}
		}
	}

	/**
	 * Report the findings, once all beans exist.
	 */
	void say(ConfigurableListableBeanFactory beans) {
		if (!this.withoutKey.isEmpty()) {
			logger
				.info("These @DistributedLock methods have arguments, but their lock has no key, so only one call runs "
						+ "at a time, even with different arguments: " + String.join(", ", this.withoutKey)
						+ ". If only calls with the same argument should exclude each other, give the lock a key, for "
						+ "example key = \"#id\"");
		}
		String[] managers = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, TransactionManager.class, true,
				false);
		if (!this.transactional.isEmpty() && managers.length == 0
				&& beans.getBeanNamesForType(TransactionManagementConfigurer.class, true, false).length == 0) {
			logger.warn("There is no transaction manager, so @Transactional does nothing on these @DistributedLock "
					+ "methods, and their writes are not rolled back: " + String.join(", ", this.transactional)
					+ ". Declare a manager as a bean, for example new MongoTransactionManager(databaseFactory)");
		}
		for (String name : managers) {
			if (beans.containsSingleton(name)
					&& beans.getSingleton(name) instanceof AbstractPlatformTransactionManager manager
					&& manager
						.getTransactionSynchronization() == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER
					&& !isOfMessages(manager)) {
				logger.warn("The transaction manager '" + name
						+ "' has SYNCHRONIZATION_NEVER, so a lock that is taken inside a transaction of this manager "
						+ "is released BEFORE the transaction commits. Leave the manager's transactionSynchronization "
						+ "at the default, or take the lock outside of the transaction");
			}
		}
	}

	private static boolean isOneForAll(List<LockOperation> locks) {
		boolean exclusive = false;
		for (LockOperation lock : locks) {
			Integer limit = lock.settings().limit();
			exclusive |= limit == null || limit == 1;
			if (lock.key() != null) {
				return false;
			}
		}
		return exclusive;
	}

	private static boolean isOfMessages(Object manager) {
		return Stream.<Class<?>>iterate(manager.getClass(), Objects::nonNull, Class::getSuperclass)
			.anyMatch((type) -> OF_MESSAGES.stream().anyMatch(type.getName()::startsWith));
	}

	private static boolean hasArguments(Method method) {
		// The continuation of a suspending function in Kotlin does not count
		return method.getParameterCount() > ((KotlinDetector.isSuspendingFunction(method)) ? 1 : 0);
	}

	private static boolean isTransactional(AnnotatedElement element) {
		MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		for (String annotation : TRANSACTIONAL) {
			if (annotations.isPresent(annotation)) {
				return true;
			}
		}
		return false;
	}

}
