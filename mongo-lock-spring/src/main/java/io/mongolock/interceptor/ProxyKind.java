package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

import io.mongolock.interceptor.ProxyReach.Obstacle;

/**
 * The kind of proxy that Spring makes of a bean. The proxy extends the bean's class,
 * unless this was switched off for all beans or, by {@code @Proxyable}, for this bean.
 *
 * @param beans the factory of the beans that are proxied
 */
public record ProxyKind(ConfigurableListableBeanFactory beans) {

	private static final Log logger = LogFactory.getLog(ProxyKind.class);

	/**
	 * Whether there can be a proxy of the bean that is being proxied now.
	 */
	public boolean isPossible(Class<?> targetClass) {
		return isPossible(targetClass, ProxyCreationContext.getCurrentProxiedBeanName());
	}

	/**
	 * Whether there can be a proxy of a bean.
	 */
	public boolean isPossible(Class<?> targetClass, @Nullable String beanName) {
		return !Modifier.isFinal(targetClass.getModifiers()) || Proxy.isProxyClass(targetClass)
				|| ClassUtils.isLambdaClass(targetClass)
				|| (isByInterface(beanName) && Interfaces.of(targetClass).areFound());
	}

	/**
	 * Whether a bean gets a proxy of its interfaces, if it has any.
	 */
	public boolean isByInterface(@Nullable String beanName) {
		return (beanName != null && this.beans.containsBeanDefinition(beanName)
				&& this.beans.getBeanDefinition(beanName).hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE))
				|| (this.beans.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig creator
						&& !creator.isProxyTargetClass());
	}

	/**
	 * The beans that do not exist yet, for example lazy ones, if their definition knows
	 * their class. Interfaces and abstract classes are left out, because the bean's own
	 * class may declare more. A bean whose class refers to a missing class is also left
	 * out, because it does no harm until it is requested.
	 * @return the classes by bean name
	 */
	public Map<String, Class<?>> later() {
		Map<String, Class<?>> later = new LinkedHashMap<>();
		for (String beanName : this.beans.getBeanDefinitionNames()) {
			Class<?> type = (!this.beans.containsSingleton(beanName)) ? this.beans.getType(beanName, false) : null;
			if (type != null && !Modifier.isAbstract(type.getModifiers()) && isWhole(type)) {
				later.put(beanName, ClassUtils.getUserClass(type));
			}
		}
		return later;
	}

	// Whether all classes in the signatures of its methods exist
	private static boolean isWhole(Class<?> type) {
		try {
			MethodIntrospector.selectMethods(type, (MethodFilter) (method) -> false);
			return true;
		}
		catch (IllegalStateException ex) {
			logger.debug("The methods of " + type + " are checked only when the bean is created", ex);
			return false;
		}
	}

	/**
	 * The obstacle that will keep the proxy of a future bean from a method.
	 * @return {@code null} if the definition shows no obstacle
	 */
	public @Nullable Obstacle toLater(String beanName, Method method, Class<?> targetClass) {
		Obstacle callback = (!this.beans.isFactoryBean(beanName))
				? ProxyReach.toCallback(this.beans.getMergedBeanDefinition(beanName), method, targetClass) : null;
		return (callback != null || isByInterface(beanName)) ? callback : ProxyReach.toClassProxy(method, targetClass);
	}

	/**
	 * The interfaces that Spring makes a proxy of, which exclude the container's callback
	 * interfaces.
	 */
	private static final class Interfaces extends ProxyProcessorSupport {

		private final ProxyFactory factory = new ProxyFactory();

		private static Interfaces of(Class<?> type) {
			Interfaces interfaces = new Interfaces();
			interfaces.evaluateProxyInterfaces(type, interfaces.factory);
			return interfaces;
		}

		private boolean areFound() {
			return !this.factory.isProxyTargetClass();
		}

	}

}
