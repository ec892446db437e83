package io.mongolock.observation;

import java.util.Set;
import java.util.stream.Collectors;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.ThreadLocalAccessor;

import io.mongolock.concurrent.ThreadState;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * The thread-locals that are registered with Micrometer's context propagation by a
 * {@link ThreadLocalAccessor}; the current observation is one of them. Thread-safe.
 */
public final class ThreadSnapshots implements ThreadState {

	private final ContextRegistry registry;

	private final ContextSnapshotFactory factory;

	/**
	 * Create for a registry.
	 */
	public ThreadSnapshots(ContextRegistry registry) {
		this.registry = registry;
		this.factory = ContextSnapshotFactory.builder().contextRegistry(registry).clearMissing(true).build();
	}

	@Override
	public Captured capture() {
		ContextSnapshot snapshot = this.factory.captureAll();
		return new Captured() {

			@Override
			public Scope replace() {
				return snapshot.setThreadLocals()::close;
			}

			@Override
			public Scope complete() {
				Set<Object> own = own();
				return snapshot.setThreadLocals((key) -> !own.contains(key))::close;
			}

		};
	}

	private Set<Object> own() {
		return this.registry.getThreadLocalAccessors()
			.stream()
			.filter((accessor) -> accessor.getValue() != null)
			.map(ThreadLocalAccessor::key)
			.collect(Collectors.toSet());
	}

}
