package io.mongolock.faults.harness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.mongolock.store.LockStore;

/**
 * A store whose requests can be made to fail. Thread-safe.
 */
public final class InterceptedStore {

	private final Map<String, Runnable> before = new ConcurrentHashMap<>();

	private final LockStore store;

	public InterceptedStore(LockStore store) {
		this.store = store;
	}

	// A request of the kind that the method is fails with what the action throws
	public InterceptedStore before(String method, Runnable action) {
		this.before.put(method, action);
		return this;
	}

	public LockStore toStore() {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, args) -> {
					this.before.getOrDefault(method.getName(), () -> {
					}).run();
					try {
						return method.invoke(this.store, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
