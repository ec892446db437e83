package io.mongolock.concurrent;

import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.mongolock.event.LockInstrumentation.Scope;

/**
 * A value that a thread carries. Thread-safe.
 *
 * @param <V> the type of value
 * @param get returns the value of the current thread, {@code null} if it has none
 * @param set sets the value of the current thread, {@code null} for none
 * @param join combines the value of a thread with a value that is added
 */
public record ThreadValue<V>(Supplier<@Nullable V> get, Consumer<@Nullable V> set,
		BinaryOperator<V> join) implements ThreadState {

	/**
	 * Create a state whose values cannot be combined: a thread that has a value keeps it.
	 */
	public ThreadValue(Supplier<@Nullable V> get, Consumer<@Nullable V> set) {
		this(get, set, (own, added) -> own);
	}

	@Override
	public Captured capture() {
		V value = this.get.get();
		return new Captured() {

			@Override
			public Scope replace() {
				return change(ThreadValue.this.get.get(), value);
			}

			@Override
			public Scope complete() {
				V own = ThreadValue.this.get.get();
				if (value == null) {
					return Scope.NONE;
				}
				V all = (own != null) ? ThreadValue.this.join.apply(own, value) : value;
				return (all != own) ? change(own, all) : Scope.NONE;
			}

		};
	}

	private Scope change(@Nullable V before, @Nullable V now) {
		this.set.accept(now);
		return () -> this.set.accept(before);
	}

}
