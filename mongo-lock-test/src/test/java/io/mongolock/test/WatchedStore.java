package io.mongolock.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreSubscription;

/**
 * A store in memory that counts its requests and notifies of releases, as long as it is
 * not silent. Thread-safe.
 */
final class WatchedStore {

	final InMemoryLockStore store = new InMemoryLockStore();

	final List<ReleaseListener> watches = new CopyOnWriteArrayList<>();

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	/** Whether watches are live. */
	volatile boolean live;

	/** Whether watches hear of nothing. */
	volatile boolean silent;

	LockStore toStore() {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, args) -> {
					this.counts.computeIfAbsent(method.getName(), (name) -> new AtomicInteger()).incrementAndGet();
					if (method.getName().equals("watchReleases")) {
						return watch((ReleaseListener) args[0]);
					}
					try {
						Object answer = method.invoke(this.store, args);
						if (!this.silent && answer instanceof ReleaseAnswer release && release.ended()) {
							notify(((LeaseId) args[0]).key());
						}
						return answer;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	int count(String method) {
		return this.counts.getOrDefault(method, new AtomicInteger()).get();
	}

	void notify(String key) {
		this.watches.forEach((watch) -> watch.released(key));
	}

	private StoreSubscription watch(ReleaseListener listener) {
		this.watches.add(listener);
		if (this.live) {
			listener.missed();
		}
		return new StoreSubscription() {

			@Override
			public boolean isLive() {
				return WatchedStore.this.live;
			}

			@Override
			public void close() {
				WatchedStore.this.watches.remove(listener);
			}

		};
	}

}
