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
 * @param get the value of the current thread, {@code null} if it has none
 * @param set lets the current thread have it, or none
 * @param join makes one of what a thread has and what is added to it
 */
public record ThreadValue<V>(Supplier<@Nullable V> get, Consumer<@Nullable V> set,
		BinaryOperator<V> join) implements ThreadState {

	/**
	 * Create for values; a thread has one or the other.
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
