package io.mongolock.client;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.event.LockEvents;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.StoreServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEvents}: who listens slowly, or a log that blocks, delays nobody
 * else.
 */
@Timeout(60)
class LockEventsTests {

	private static final LockSettings BUSY = LockSettings.builder().renewInterval(Duration.ofMillis(50)).build();

	private final ScriptedStore store = new ScriptedStore();

	private final Recorder events = new Recorder();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(this.events)));

	/** Whose leaks would be said, too. */
	private final List<LockHandle> held = new ArrayList<>();

	private final BlockingAppender log = new BlockingAppender();

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.mongolock");

	@BeforeEach
	void listen() {
		this.log.setContext(this.logger.getLoggerContext());
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void stop() {
		this.events.go.countDown();
		this.log.go.countDown();
		this.logger.detachAppender(this.log);
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void lossesAreToldThoughAListenerIsStuckInAnotherEvent() {
		this.events.blocking = true;
		hold(3);
		Awaitility.await().until(() -> this.events.stuck);
		forgetAll(3);
		Awaitility.await().until(() -> this.events.lost.size() == 3);
		assertThat(this.events.acquired).isEmpty();
	}

	@Test
	void manyLossesAreToldSideBySide() {
		this.events.together = new CountDownLatch(32);
		hold(64);
		forgetAll(64);
		Awaitility.await().until(() -> this.events.lost.size() == 64);
	}

	@Test
	void eventsOtherThanLossesAreDroppedOldestFirstAndCountedWhileAListenerIsStuck() {
		this.events.blocking = true;
		List<BiConsumer<String, Duration>> servers = new ArrayList<>();
		new LockEvents(List.of(this.events), LockClock.system(), new ClientRuntime()::daemons)
			.ofClaims(new StoreServers() {

				@Override
				public Optional<String> primaryAddress() {
					return Optional.empty();
				}

				@Override
				public void onClockOff(BiConsumer<String, Duration> listener) {
					servers.add(listener);
				}

			});
		IntStream.range(0, 10_003).forEach((i) -> servers.get(0).accept("db1", Duration.ofMillis(i)));
		this.events.go.countDown();
		Awaitility.await().until(() -> this.events.offsets.contains(Duration.ofMillis(10_002)));
		Awaitility.await()
			.until(() -> this.log.lines.stream().anyMatch((line) -> line.contains("events were not published")));
		assertThat(this.events.offsets.size()).isBetween(10_000, 10_001);
	}

	@Test
	void aMeterThatFailsHarmsNeitherClaimsNorRenewals() {
		LockTemplate measured = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(new LockInstrumentation() {

					@Override
					public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
							@Nullable LockStoreException failure, Duration waited) {
						throw new IllegalStateException("claimed");
					}

					@Override
					public void leaseUsed(double share) {
						throw new IllegalStateException("lease");
					}

				})));
		LockHandle held = measured.acquire(LockRequest.builder("measured").settings(BUSY).build());
		Awaitility.await().until(() -> this.store.count("renew") >= 2);
		assertThat(held.isHeld()).isTrue();
		measured.stop(Duration.ofSeconds(1));
	}

	@Test
	void anUndeclaredExceptionOfAListenerKeepsNoListenerFromHearingOfLosses() {
		Undeclared failing = new Undeclared();
		LockTemplate heard = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(failing, this.events)));
		IntStream.range(0, 100).forEach((i) -> heard.acquire(LockRequest.builder("k" + i).settings(BUSY).build()));
		forgetAll(100);
		Awaitility.await().until(() -> this.events.lost.size() == 100 && failing.lost.get() == 100);
		heard.stop(Duration.ofSeconds(1));
	}

	@Test
	void anUndeclaredExceptionOfAMeterDoesNotEndTheWatch() {
		LockTemplate measured = new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""),
						LockClock.system(), List.of(new UndeclaredMeter(), this.events)));
		LockHandle held = measured.acquire(LockRequest.builder("measured").settings(BUSY).build());
		measured.acquire(LockRequest.builder("k0").settings(BUSY).build());
		this.store.forget("k0");
		Awaitility.await().until(() -> !this.events.lost.isEmpty());
		long before = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > before + 3);
		assertThat(held.isHeld()).isTrue();
		measured.stop(Duration.ofSeconds(1));
	}

	@Test
	void aLogThatBlocksHoldsUpNeitherTheWatchNorRenewalsNorListeners() {
		this.log.blocking = true;
		LockHandle renewed = this.template.acquire(LockRequest.builder("renewed")
			.settings(LockSettings.builder().renewInterval(Duration.ofSeconds(8)).build())
			.build());
		this.store.nextFails("renew", Outcome.NOT_EXECUTED, false);
		this.held.add(this.template.acquire(LockRequest.builder("first").settings(BUSY).build()));
		this.store.forget("first");
		Awaitility.await().until(() -> this.events.lost.contains("first REFUSED"));
		Awaitility.await().until(() -> this.events.failures.equals(List.of("renew first: renew failed by script")));
		Awaitility.await().until(() -> this.log.stuck);
		this.held.add(this.template.acquire(LockRequest.builder("second").settings(BUSY).build()));
		this.store.forget("second");
		Awaitility.await().until(() -> this.events.lost.contains("second REFUSED"));
		LockHandle kept = this.template.acquire(LockRequest.builder("kept").settings(BUSY).build());
		long before = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > before + 10);
		assertThat(kept.isHeld()).isTrue();
		assertThat(renewed.isHeld()).isTrue();
		assertThat(this.log.lines).isEmpty();
	}

	@Test
	void aReleaseThatFailsIsToldWithItsFailure() {
		this.store.nextFails("release", Outcome.UNKNOWN, true);
		this.template.acquire(LockRequest.of("k")).close();
		Awaitility.await().until(() -> this.events.failures.contains("release k: release failed by script"));
	}

	@Test
	void locksLostAtShutdownAreOneLineWithTheirNumberAndTheFirstNames() {
		hold(12);
		this.template.stop(Duration.ofSeconds(10));
		assertThat(this.log.lines).hasSize(1)
			.first()
			.asString()
			.startsWith("12 locks were lost, because")
			.contains("and 9 more");
		Awaitility.await().until(() -> this.events.lost.size() == 12);
		assertThat(this.events.lost).allMatch((loss) -> loss.endsWith("SHUTDOWN"));
	}

	@Test
	void manyLossesAtOnceAreTenLinesAndASum() {
		hold(300);
		forgetAll(300);
		Awaitility.await().until(() -> lossesSaid() == 300);
		assertThat(this.log.lines.stream().filter((line) -> line.contains("more locks were lost"))).isNotEmpty();
		assertThat(this.log.lines.stream().filter((line) -> line.contains("lost: "))).hasSizeLessThan(150);
	}

	private int lossesSaid() {
		return this.log.lines.stream()
			.filter((line) -> line.contains("lost: "))
			.mapToInt((line) -> (line.contains(" more locks")) ? Integer.parseInt(line.substring(0, line.indexOf(' ')))
					: 1)
			.sum();
	}

	@Test
	void aRenewalThatSucceedsAgainIsSaidOnce() {
		this.store.nextFails("renew", Outcome.UNKNOWN, false);
		this.held.add(this.template.acquire(LockRequest.builder("k").settings(BUSY).build()));
		Awaitility.await().until(() -> this.log.lines.contains("The renewal of lock 'k' succeeds again"));
		long renewals = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > renewals + 2);
		assertThat(this.log.lines.stream().filter((line) -> line.endsWith("succeeds again"))).hasSize(1);
	}

	@Test
	void aRenewalThatFailsWhenTheStopIsOverIsNotSaid() throws InterruptedException {
		CountDownLatch end = new CountDownLatch(1);
		AtomicReference<Thread> renewal = new AtomicReference<>();
		this.store.next("renew", (request) -> {
			renewal.set(Thread.currentThread());
			await(end);
			throw new IllegalStateException("state should be: open");
		});
		this.held.add(this.template.acquire(LockRequest.builder("k").settings(BUSY).build()));
		Awaitility.await().until(() -> renewal.get() != null);
		this.template.stop(Duration.ZERO);
		end.countDown();
		renewal.get().join();
		this.template.stop(Duration.ofSeconds(10));
		assertThat(this.log.lines).isNotEmpty().noneMatch((line) -> line.contains("The renewal of"));
	}

	private void hold(int count) {
		IntStream.range(0, count).forEach((i) -> this.held.add(this.template.acquire(LockRequest.of("k" + i))));
	}

	private void forgetAll(int count) {
		IntStream.range(0, count).forEach((i) -> {
			this.store.forget("k" + i);
			this.template.renew("k" + i);
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void undeclared() throws E {
		throw (E) new IOException("undeclared, says the test");
	}

	private static final class Recorder implements LockListener {

		private final CountDownLatch go = new CountDownLatch(1);

		private final List<String> acquired = new CopyOnWriteArrayList<>();

		private final List<String> lost = new CopyOnWriteArrayList<>();

		private final List<String> failures = new CopyOnWriteArrayList<>();

		private final List<Duration> offsets = new CopyOnWriteArrayList<>();

		private volatile CountDownLatch together = new CountDownLatch(0);

		private volatile boolean blocking;

		private volatile boolean stuck;

		@Override
		public void onAcquired(LockHandle handle) {
			block();
			this.acquired.add(handle.key());
		}

		@Override
		public void onServerClockOff(String server, Duration offset) {
			block();
			this.offsets.add(offset);
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			this.together.countDown();
			await(this.together);
			this.lost.add(handle.key() + " " + reason);
		}

		@Override
		public void onRenewalFailed(LockHandle handle, Throwable failure) {
			this.failures.add("renew " + handle.key() + ": " + failure.getMessage());
		}

		@Override
		public void onReleaseFailed(LockHandle handle, Throwable failure) {
			this.failures.add("release " + handle.key() + ": " + failure.getMessage());
		}

		private void block() {
			if (this.blocking) {
				this.stuck = true;
				await(this.go);
			}
		}

		private static void await(CountDownLatch latch) {
			LockEventsTests.await(latch);
		}

	}

	private static final class BlockingAppender extends AppenderBase<ILoggingEvent> {

		private final CountDownLatch go = new CountDownLatch(1);

		private final List<String> lines = new CopyOnWriteArrayList<>();

		private volatile boolean blocking;

		private volatile boolean stuck;

		@Override
		protected void append(ILoggingEvent event) {
			if (this.blocking) {
				this.stuck = true;
				LockEventsTests.await(this.go);
			}
			this.lines.add(event.getFormattedMessage());
		}

	}

	private static final class Undeclared implements LockListener {

		private final AtomicInteger lost = new AtomicInteger();

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			this.lost.incrementAndGet();
			LockEventsTests.<RuntimeException>undeclared();
		}

		@Override
		public String toString() {
			throw new IllegalStateException("no name, says the test");
		}

	}

	private static final class UndeclaredMeter implements LockInstrumentation {

		@Override
		public void lost(LockHandle handle, LockRequest request, LossReason reason) {
			LockEventsTests.<RuntimeException>undeclared();
		}

	}

}
