package io.mongolock.faults.harness;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LockStore;

/**
 * A store whose requests can be made to fail, and whose answers to claims can be seen.
 * Thread-safe once it is set up.
 */
public final class InterceptedStore {

	private final Map<String, Runnable> before = new ConcurrentHashMap<>();

	private final LockStore store;

	private BiConsumer<Claim, ClaimAnswer> answered = (claim, answer) -> {
	};

	public InterceptedStore(LockStore store) {
		this.store = store;
	}

	// A request of the kind that the method is fails with what the action throws
	public InterceptedStore before(String method, Runnable action) {
		this.before.put(method, action);
		return this;
	}

	public InterceptedStore answered(BiConsumer<Claim, ClaimAnswer> action) {
		this.answered = action;
		return this;
	}

	public LockStore toStore() {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, args) -> {
					this.before.getOrDefault(method.getName(), () -> {
					}).run();
					try {
						Object answer = method.invoke(this.store, args);
						if (answer instanceof ClaimAnswer claimed) {
							this.answered.accept((Claim) args[0], claimed);
						}
						return answer;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
