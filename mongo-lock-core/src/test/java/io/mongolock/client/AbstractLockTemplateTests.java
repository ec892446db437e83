package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A template on a scripted store, with a clock that a test moves and a listener.
 */
abstract class AbstractLockTemplateTests {

	static final LockRequest REQUEST = LockRequest.of("k");

	static final LockRequest ONCE = LockRequest.builder("k").waitTimeout(Duration.ZERO).build();

	final ScriptedStore store = new ScriptedStore();

	final SteppedClock clock = new SteppedClock();

	final RecordingListener events = new RecordingListener();

	final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), this.clock, List.of(this.events)));

	final ExecutorService others = Executors.newCachedThreadPool();

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
		this.others.shutdownNow();
	}

	LockTemplate otherClient() {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("other", "2", "there", 43, ""), this.clock, List.of()));
	}

	static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static final class SteppedClock implements LockClock {

		private final AtomicLong stepped = new AtomicLong();

		private final Set<Thread> watches = ConcurrentHashMap.newKeySet();

		private final ThreadLocal<Integer> readings = ThreadLocal.withInitial(() -> 0);

		/**
		 * Fail once on the current thread.
		 * @param reading at which reading from now on, or 0 for none
		 */
		void failAt(int reading) {
			this.readings.set(reading);
		}

		void step(Duration step) {
			stepUnnoticed(step);
			this.watches.forEach(LockSupport::unpark);
		}

		/**
		 * Leave it to the watch when it looks at the clock again.
		 */
		void stepUnnoticed(Duration step) {
			this.stepped.addAndGet(step.toNanos());
		}

		@Override
		public long nanoTime() {
			if (Thread.currentThread().getName().equals("mongo-lock-watch")) {
				this.watches.add(Thread.currentThread());
			}
			int left = this.readings.get();
			this.readings.set(left - 1);
			if (left == 1) {
				throw new StackOverflowError("by script");
			}
			return System.nanoTime() + this.stepped.get();
		}

		@Override
		public long currentTimeMillis() {
			return System.currentTimeMillis() + this.stepped.get() / 1_000_000;
		}

	}

	static final class RecordingListener implements LockListener {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		volatile boolean failing;

		void await(String... events) {
			Awaitility.await().untilAsserted(() -> assertThat(this.heard).containsExactlyInAnyOrder(events));
		}

		@Override
		public void onAcquired(LockHandle handle) {
			hear("acquired " + handle.key());
		}

		@Override
		public void onReleased(LockHandle handle) {
			hear("released " + handle.key());
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			hear("lost " + handle.key() + " " + reason);
		}

		@Override
		public void onExpiredUncontested(LockHandle handle) {
			hear("overran " + handle.key());
		}

		private void hear(String event) {
			this.heard.add(event);
			if (this.failing) {
				throw new IllegalStateException("by script");
			}
		}

	}

}
