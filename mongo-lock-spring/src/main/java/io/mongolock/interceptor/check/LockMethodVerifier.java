package io.mongolock.interceptor.check;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

import io.mongolock.LockSettings;
import io.mongolock.core.LockTerms;
import io.mongolock.interceptor.AdvisedProxies;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.ProxyKind;
import io.mongolock.interceptor.ProxyReach;

/**
 * Checks each bean's methods before the bean is used. Once all singletons exist, it
 * checks the definitions of beans that do not exist yet, for example lazy ones. It then
 * also checks that beans with locked methods really have the proxy that locks, because a
 * bean that was created too early has none. Written with loops, because each lambda is a
 * class that every start would load.
 */
public class LockMethodVerifier implements BeanPostProcessor, SmartInitializingSingleton, Ordered {

	private final LockOperationSource source;

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockDocumentCheck documents;

	private final LockMethodCheck check;

	private final LockVerification verification;

	private final ProxyKind proxies;

	private final LockAsyncCheck async;

	private final LikelyMistakes mistakes = new LikelyMistakes();

	/** The locked methods of each class. */
	private final Map<Class<?>, Locked> checked = new ConcurrentHashMap<>(256);

	/** Classes with correct declarations that perhaps are not the class of a bean. */
	private final Set<Class<?>> declared = ConcurrentHashMap.newKeySet();

	private final Set<Class<?>> guarded = ConcurrentHashMap.newKeySet();

	/** The classes whose proxies by class were checked. */
	private final Set<Class<?>> proxiedByClass = ConcurrentHashMap.newKeySet();

	/** The classes whose proxies by interface were checked. */
	private final Set<Class<?>> proxiedByInterface = ConcurrentHashMap.newKeySet();

	/**
	 * Create a new verifier.
	 * @param terms computes the terms of a name and settings, and refuses bad ones
	 * @param verification the treatment of methods that no proxy reaches
	 */
	public LockMethodVerifier(LockOperationSource source, ConfigurableListableBeanFactory beanFactory,
			BiFunction<@Nullable String, LockSettings, LockTerms> terms, LockVerification verification) {
		this.source = source;
		this.beanFactory = beanFactory;
		this.documents = new LockDocumentCheck(beanFactory);
		this.check = new LockMethodCheck(terms, this.documents, new KeyTypeCheck(beanFactory), beanFactory);
		this.verification = verification;
		this.proxies = new ProxyKind(beanFactory);
		this.async = new LockAsyncCheck(source, beanFactory);
	}

	// After the post-processors that make proxies
	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (hasLocks(bean) && this.verification.isOn() && this.beanFactory.containsBeanDefinition(beanName)) {
			BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(beanName);
			Class<?> targetClass = AopUtils.getTargetClass(bean);
			for (Method method : locked(targetClass).proxied()) {
				this.verification.report(ProxyReach.toCallback(definition, method, targetClass), method, targetClass);
			}
		}
		return bean;
	}

	/** Only this callback sees the product of a FactoryBean. */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (hasLocks(bean) && this.verification.isOn()) {
			checkReach(beanName, bean);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		checkDefinitions();
		checkProxies();
		this.documents.checkTypes();
		this.mistakes.say(this.beanFactory);
	}

	/**
	 * The number of bean methods that run under a lock.
	 * @return the number, final once all singletons exist
	 */
	public int guardedMethods() {
		int count = 0;
		for (Class<?> type : this.guarded) {
			count += locks(type);
		}
		return count;
	}

	/**
	 * Warn of calls of locked methods on the same object. This reads byte code, so call
	 * it in the background, once all singletons exist.
	 */
	public void warnOfSelfCalls() {
		if (!this.verification.isOn()) {
			return;
		}
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type : this.guarded) {
			if (!Proxy.isProxyClass(type)) {
				types.add(ClassUtils.getUserClass(type));
			}
		}
		Set<String> found = new TreeSet<>();
		for (Class<?> type : types) {
			found.addAll(SelfCallScan.find(type, locked(type).proxied()));
		}
		if (!found.isEmpty()) {
			this.verification
				.warn("These calls of @DistributedLock methods are made on the same object and not on its proxy, so "
						+ "the methods run WITHOUT the lock: " + String.join("; ", found)
						+ ". Move the locked method to another bean, use LockOperations inside this method, or weave "
						+ "the method with mongo-lock-aspectj");
		}
	}

	/**
	 * Check the declarations of a class that perhaps is not the class of a bean. Methods
	 * that a proxy cannot reach are not reported, because they matter only for beans.
	 * Thread-safe.
	 * @throws InvalidLockMethodException if a declaration of its locks is wrong
	 */
	public void verify(Class<?> targetClass) {
		if (!this.checked.containsKey(targetClass) && !this.declared.contains(targetClass)) {
			declarations(targetClass);
			this.declared.add(targetClass);
		}
	}

	private void checkReach(String beanName, Object bean) {
		Class<?> targetClass = AopUtils.getTargetClass(bean);
		SpringProxy proxy = AdvisedProxies.find(bean, LockAsyncCheck.LOCKS);
		if ((proxy != null) ? looked(proxy).add(targetClass) : !this.proxies.isPossible(targetClass, beanName)) {
			for (Method method : locked(targetClass).proxied()) {
				this.verification.report((proxy != null) ? ProxyReach.toProxy(proxy, method, targetClass)
						: ProxyReach.toClassProxy(method, targetClass), method, targetClass);
			}
		}
	}

	private Set<Class<?>> looked(SpringProxy proxy) {
		return (AopUtils.isJdkDynamicProxy(proxy)) ? this.proxiedByInterface : this.proxiedByClass;
	}

	private void checkDefinitions() {
		for (Map.Entry<String, Class<?>> later : this.proxies.later().entrySet()) {
			Class<?> type = later.getValue();
			if (isGuarded(type)) {
				this.async.checkWoven(type);
				for (Method method : (this.verification.isOn()) ? locked(type).proxied() : List.<Method>of()) {
					this.verification.report(this.proxies.toLater(later.getKey(), method, type), method, type);
				}
			}
		}
	}

	private void checkProxies() {
		for (String beanName : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(beanName);
			if (bean != null) {
				checkProxy(beanName, bean);
			}
			if (bean instanceof FactoryBean<?> factory && isCandidate(beanName) && factory.isSingleton()) {
				checkProxy(beanName, this.beanFactory.getBean(beanName));
			}
		}
	}

	// Leaves out products that may never be requested, so as not to create them
	private boolean isCandidate(String beanName) {
		Class<?> product = this.beanFactory.getType(beanName, false);
		return product != null && this.source.isCandidateClass(product)
				&& !(this.beanFactory.containsBeanDefinition(beanName)
						&& this.beanFactory.getBeanDefinition(beanName).isLazyInit());
	}

	private void checkProxy(String beanName, Object bean) {
		this.async.check(bean);
		if (!hasLocks(bean) || isWoven(AopUtils.getTargetClass(bean))) {
			return;
		}
		if (this.verification.isOn()) {
			checkReach(beanName, bean);
		}
		if (AdvisedProxies.find(bean, LockAsyncCheck.LOCKS) == null) {
			String problem = "Bean '" + beanName + "' of " + AopUtils.getTargetClass(bean)
					+ " has @DistributedLock methods, but no proxy, so these methods would run without the lock";
			if (AdvisedProxies.mayBeMissing(this.beanFactory)) {
				this.verification
					.warn(problem + ". If the test itself has put this bean into the context, for example with "
							+ "@MockitoBean, ignore this message");
				return;
			}
			this.verification.report(new InvalidLockMethodException(problem,
					"Either the bean was created too early, for example because a BeanPostProcessor depends on the "
							+ "bean, or the bean was registered as a finished object. Move the methods to another "
							+ "bean, or make the dependency on this bean @Lazy.",
					null));
		}
	}

	/**
	 * Whether methods of a bean run under a lock, by a proxy or by weaving.
	 */
	public boolean hasLocks(Object bean) {
		// The object behind a JDK proxy, for example of a repository, need not
		// implement the interface
		boolean proxyHasLocks = Proxy.isProxyClass(bean.getClass()) && locks(bean.getClass()) > 0;
		return isGuarded(AopUtils.getTargetClass(bean)) || (proxyHasLocks && isGuarded(bean.getClass()));
	}

	private boolean isGuarded(Class<?> targetClass) {
		return locks(targetClass) > 0 && (this.guarded.contains(targetClass) || this.guarded.add(targetClass));
	}

	private int locks(Class<?> targetClass) {
		return locked(targetClass).count();
	}

	private boolean isWoven(Class<?> targetClass) {
		return locks(targetClass) > 0 && locked(targetClass).proxied().isEmpty();
	}

	private Locked locked(Class<?> targetClass) {
		Locked known = this.checked.get(targetClass);
		if (known == null) {
			known = (this.source.isCandidateClass(targetClass)) ? checkAll(targetClass) : Locked.NONE;
			this.checked.put(targetClass, known);
		}
		return known;
	}

	private Map<Method, List<LockOperation>> declarations(Class<?> targetClass) {
		Map<Method, List<LockOperation>> operations = MethodIntrospector.selectMethods(targetClass,
				(MethodIntrospector.MetadataLookup<List<LockOperation>>) (method) -> {
					List<LockOperation> found = this.source.getLockOperations(method, targetClass);
					return (!found.isEmpty()) ? found : null;
				});
		for (List<LockOperation> locks : operations.values()) {
			this.check.check(locks, targetClass);
		}
		return operations;
	}

	private Locked checkAll(Class<?> targetClass) {
		Map<Method, List<LockOperation>> operations = declarations(targetClass);
		Set<Method> methods = new LinkedHashSet<>();
		for (Map.Entry<Method, List<LockOperation>> found : operations.entrySet()) {
			Method method = found.getValue().get(0).method();
			if (!WovenMethods.contains(found.getKey()) && methods.add(method) && this.verification.isOn()) {
				this.verification.report(ProxyReach.toAnyProxy(method, targetClass), method, targetClass);
			}
		}
		this.mistakes.add(operations, targetClass);
		return new Locked(operations.size(), List.copyOf(methods));
	}

	/**
	 * The locked methods of a class.
	 *
	 * @param count the number of locked methods
	 * @param proxied the methods that a proxy locks
	 */
	private record Locked(int count, List<Method> proxied) {

		private static final Locked NONE = new Locked(0, List.of());

	}

}
