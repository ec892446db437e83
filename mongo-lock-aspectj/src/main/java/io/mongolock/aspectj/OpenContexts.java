package io.mongolock.aspectj;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;

/**
 * Knows whose locks a woven method takes. A bean takes them from its application context,
 * and other objects from the context that was started last of those that are not stopped,
 * or else of those that are not closed. Keeps no bean from being collected. Thread-safe.
 */
class OpenContexts {

	private final List<LockedContext> open = new ArrayList<>();

	private final Map<Bean, LockedContext> beans = new ConcurrentHashMap<>();

	private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

	private final ClassValue<Boolean> woven = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return !MethodIntrospector
				.selectMethods(type, (MetadataLookup<Woven>) (method) -> method.getAnnotation(Woven.class))
				.isEmpty();
		}

	};

	/** It comes before all others. */
	synchronized void open(LockedContext context) {
		this.open.remove(context);
		this.open.add(context);
	}

	/** It comes after all others: work that goes on has no context but this. */
	synchronized void stop(LockedContext context) {
		if (this.open.remove(context)) {
			this.open.add(0, context);
		}
	}

	synchronized void close(LockedContext context) {
		this.open.remove(context);
	}

	/**
	 * Remember whose bean an object is, from before it is first used.
	 */
	void own(Object bean, LockedContext context) {
		for (Object one = this.collected.poll(); one != null; one = this.collected.poll()) {
			this.beans.remove(one);
		}
		if (this.woven.get(bean.getClass())) {
			this.beans.put(new Bean(bean, this.collected), context);
		}
	}

	LockedContext find(MethodInvocation woven) {
		Object target = woven.getThis();
		LockedContext own = (target != null) ? this.beans.get(new Bean(target, null)) : null;
		if (own != null) {
			return own;
		}
		LockedContext last = last();
		if (last == null) {
			throw new IllegalStateException(woven.getMethod()
					+ " was not run, because it needs a lock, and no application context with mongo-lock is open. Call "
					+ "the method after a context has started and before that context is closed. To run the method "
					+ "without locks, for example in a test, open a context with mongo-lock.enabled=false");
		}
		return last;
	}

	private synchronized @Nullable LockedContext last() {
		return (this.open.isEmpty()) ? null : this.open.get(this.open.size() - 1);
	}

	/** By identity: what the beans say of their equality is theirs. */
	private static final class Bean extends WeakReference<Object> {

		private final int hash;

		Bean(Object bean, @Nullable ReferenceQueue<Object> collected) {
			super(bean, collected);
			this.hash = System.identityHashCode(bean);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other || (other instanceof Bean that && get() != null && get() == that.get());
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
