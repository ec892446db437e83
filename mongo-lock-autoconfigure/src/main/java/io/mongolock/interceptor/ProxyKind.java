package io.mongolock.interceptor;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

import org.springframework.util.ClassUtils;

/**
 * Which kind of proxy Spring makes of a class.
 *
 * @param classProxies whether it extends classes that have interfaces, too
 */
public record ProxyKind(boolean classProxies) {

	/**
	 * Whether a proxy has the interfaces of the class alone.
	 */
	public boolean isByInterface(Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)
				|| (!this.classProxies && ClassUtils.getAllInterfacesForClass(targetClass).length > 0);
	}

	/**
	 * Whether there can be a proxy at all.
	 */
	public boolean isPossible(Class<?> targetClass) {
		return !Modifier.isFinal(targetClass.getModifiers()) || isByInterface(targetClass);
	}

}
