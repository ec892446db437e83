package io.mongolock.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.List;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.AbstractEnvironment;
import org.springframework.core.env.Environment;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.interceptor.check.LockVerification;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoreServers;

/**
 * Makes a locked bean and a client that nobody uses, and checks settings that nobody set,
 * on the thread that Spring Boot has for that from the very start: the first of each
 * loads hundreds of classes, which the start then finds. Boot leaves it out where there
 * is one processor, and in a native image.
 */
class LockPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		// A native image would get the proxy that is made while it is built
		if (!Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
			makeLockedBean();
			checkSettings();
			makeClient();
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

	private static void makeClient() {
		LockStore nowhere = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
				new Class<?>[] { LockStore.class }, (store, method, arguments) -> StoreServers.UNKNOWN);
		new LockTemplate(nowhere, new ClientOptions(ConfiguredSettings.NONE, new LockOwner("", "", "", 0, ""),
				LockClock.system(), List.of()));
	}

	static class Locked {

		@DistributedLock(key = "#id")
		void run(String id) {
		}

	}

}
