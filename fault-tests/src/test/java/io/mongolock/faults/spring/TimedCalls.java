package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.Harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Calls that are made again and again, each on a thread of its own, and how long each
 * kind takes at most. The calls are thread-safe.
 */
final class TimedCalls {

	private final Map<String, Call> calls = new ConcurrentSkipListMap<>();

	private final List<CompletableFuture<Void>> threads = new ArrayList<>();

	private volatile boolean over;

	/** Do something until all is over. */
	void repeat(Runnable work) {
		once(() -> {
			while (!this.over) {
				work.run();
				pause();
			}
		});
	}

	/** Do something beside the others. */
	void once(Runnable work) {
		this.threads.add(CompletableFuture.runAsync(work, (thread) -> new Thread(thread).start()));
	}

	/** The answer, empty if there is none, or if it fails. */
	<T> Optional<T> get(String what, Duration limit, Supplier<@Nullable T> call) {
		Call kind = this.calls.computeIfAbsent(what, (name) -> new Call(name, limit));
		long begun = System.nanoTime();
		try {
			T answer = call.get();
			kind.ended(begun, null);
			return Optional.ofNullable(answer);
		}
		catch (RuntimeException ex) {
			kind.ended(begun, ex);
			return Optional.empty();
		}
	}

	void ask(String what, Duration limit, Runnable call) {
		get(what, limit, () -> {
			call.run();
			return null;
		});
	}

	/** Calls of these kinds succeed once more, from their beginning to their end. */
	void awaitSuccess(Set<String> kinds) {
		Map<String, Long> before = kinds.stream().collect(Collectors.toMap(Function.identity(), this::done));
		await().atMost(Harness.LONG.multipliedBy(4))
			.untilAsserted(() -> assertThat(kinds)
				.allSatisfy((kind) -> assertThat(done(kind)).as(kind).isGreaterThanOrEqualTo(before.get(kind) + 2)));
	}

	private long done(String kind) {
		return (this.calls.containsKey(kind)) ? of(kind).done() : 0;
	}

	void end() {
		this.over = true;
		this.threads.forEach(CompletableFuture::join);
	}

	Collection<Call> all() {
		return this.calls.values();
	}

	Call of(String what) {
		return this.calls.get(what);
	}

	private static void pause() {
		try {
			TimeUnit.MILLISECONDS.sleep(20);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A kind of call.
	 */
	static final class Call {

		/** For a busy machine: what has no limit waits until the server goes on. */
		private static final Duration BUSY = Duration.ofSeconds(5);

		private final String what;

		private final Duration limit;

		private final List<RuntimeException> failures = new CopyOnWriteArrayList<>();

		private long done;

		private Duration longest = Duration.ZERO;

		private Call(String what, Duration limit) {
			this.what = what;
			this.limit = limit;
		}

		private synchronized void ended(long begun, @Nullable RuntimeException failure) {
			Duration took = Duration.ofNanos(System.nanoTime() - begun);
			this.longest = (took.compareTo(this.longest) > 0) ? took : this.longest;
			if (failure == null) {
				this.done++;
			}
			else {
				this.failures.add(failure);
			}
		}

		String what() {
			return this.what;
		}

		synchronized long done() {
			return this.done;
		}

		List<RuntimeException> failures() {
			return this.failures;
		}

		synchronized void assertInTime() {
			assertThat(this.longest).as(this.what).isLessThan(this.limit.plus(BUSY));
		}

		@Override
		public synchronized String toString() {
			return this.longest.toMillis() + " of " + this.limit.toMillis() + " ms, " + this.done + " done, "
					+ this.failures.size() + " failed";
		}

	}

}
