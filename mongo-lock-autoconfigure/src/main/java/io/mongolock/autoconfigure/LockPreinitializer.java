package io.mongolock.autoconfigure;

import java.util.List;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.AbstractEnvironment;
import org.springframework.core.env.Environment;

import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.interceptor.check.LockVerification;

/**
 * Checks settings that nobody set, and makes a locked bean that nobody uses, on the
 * thread that Spring Boot has for that from the very start: the first of both loads
 * hundreds of classes, most of them for its proxy, which the start then finds. Boot
 * leaves it out where there is one processor, and in a native image.
 */
class LockPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		// A native image would get the proxy that is made while it is built
		if (!Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			makeLockedBean();
			checkSettings();
		}
	}

	void makeLockedBean() {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		LockOperationSource source = new AnnotationLockOperationSource((text) -> text, "");
		new LockMethodVerifier(source, beans, ConfiguredSettings.NONE::terms, LockVerification.FAIL)
			.verify(Locked.class);
		ProxyFactory proxy = new ProxyFactory(new Locked());
		proxy.setProxyTargetClass(true);
		proxy.addAdvisor(new LockOperationSourceAdvisor(source, new LockInterceptor(source, () -> {
			throw new IllegalStateException("Nobody calls this");
		}, beans), 0, (type) -> true));
		proxy.getProxy(getClass().getClassLoader());
	}

	private static void checkSettings() {
		Environment nothing = new AbstractEnvironment() {
		};
		MongoLockProperties properties = Binder.get(nothing)
			.bindOrCreate(MongoLockProperties.PREFIX, MongoLockProperties.class);
		new LockSettingsValidator(properties,
				new ConfiguredSettings(properties.settings(), properties.settingsByName(), null), List.of(), nothing);
	}

	static class Locked {

		@DistributedLock(key = "#id")
		void run(String id) {
		}

	}

}
