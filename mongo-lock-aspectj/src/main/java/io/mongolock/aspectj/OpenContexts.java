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
 * Knows the context from which a woven method takes its locks. A bean takes them from its
 * own application context. Other objects take them from the most recently started context
 * that is not stopped, or else from one that is stopped but not closed. Does not keep
 * beans from being collected. Thread-safe.
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

	/** The context is preferred to all others. */
	synchronized void open(LockedContext context) {
		this.open.remove(context);
		this.open.add(context);
	}

	/**
	 * All others are preferred to the context. It stays in the list, because running work
	 * may have no other context.
	 */
	synchronized void stop(LockedContext context) {
		if (this.open.remove(context)) {
			this.open.add(0, context);
		}
	}

	synchronized void close(LockedContext context) {
		this.open.remove(context);
	}

	/**
	 * Remember the context of a bean. Called before the bean is first used.
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

	/** Compares beans by identity, because their own equals may mean something else. */
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
