package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.background.BackgroundTask;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LockExceptions;
import io.mongolock.core.LockTerms;
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.event.LockEvents;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ClientLoop}, with leases of 30 s whose grant was long in coming: what
 * is due at once has seconds left.
 */
@Timeout(60)
class ClientLoopTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ScriptedStore store = new ScriptedStore();

	private final ClientThreads threads = new ClientThreads(new ClientRuntime());

	private final AtomicInteger failures = new AtomicInteger();

	private final List<Lease> lost = new CopyOnWriteArrayList<>();

	private final LockEvents events = new LockEvents(List.of(), LockClock.system(), new ClientRuntime()::daemons);

	private ClientLoop loop = new ClientLoop(this.store, LockClock.system(), this.threads.renewals(), this.events,
			List.of(places()), new ReleaseRequestPoller(this.store, this.events), new ClientRuntime());

	@AfterEach
	void stop() {
		this.loop.stop();
		this.threads.stop();
	}

	@Test
	void aLeaseWhoseGrantTookLongIsRenewedAtOnce() {
		this.loop.start();
		Lease lease = register("a", Duration.ofSeconds(18));
		await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
		assertThat(this.lost).isEmpty();
	}

	@Test
	void aMeterThatHangsDoesNotDelayWhatItMeasures() {
		CountDownLatch over = new CountDownLatch(1);
		LockInstrumentation meter = new LockInstrumentation() {

			@Override
			public void renewed(int leases, boolean answered, Duration took) {
				awaitQuietly(over);
			}

		};
		renewBy(LockClock.system(), new LockEvents(List.of(meter), LockClock.system(), new ClientRuntime()::daemons));
		try {
			Lease lease = register("a", Duration.ofSeconds(18));
			await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
		}
		finally {
			over.countDown();
		}
	}

	@Test
	void aTaskThatIsWokenWhileAnotherWaitsForALockRunsOnceMoreAtOnce() throws InterruptedException {
		AtomicInteger runs = new AtomicInteger();
		AtomicInteger before = new AtomicInteger();
		CountDownLatch parked = new CountDownLatch(1);
		AtomicReference<Runnable> wake = new AtomicReference<>(() -> {
		});
		BackgroundTask woken = task(wake::set, runs::incrementAndGet);
		BackgroundTask waiting = task((same) -> {
		}, () -> {
			wake.getAndSet(() -> {
			}).run();
			// As a lock that is taken: the permit is gone
			LockSupport.parkNanos(1);
		});
		this.loop = new ClientLoop(this.store, LockClock.system(), this.threads.renewals(), this.events,
				List.of(woken, waiting), new ReleaseRequestPoller(this.store, this.events), new ClientRuntime() {

					@Override
					void park(Object blocker, long nanos) {
						if (parked.getCount() > 0) {
							before.set(runs.get());
							parked.countDown();
						}
						super.park(blocker, nanos);
					}

				});
		this.loop.start();
		parked.await();
		assertThat(before).hasValue(2);
	}

	private static BackgroundTask task(Consumer<Runnable> start, Runnable run) {
		return new BackgroundTask() {

			@Override
			public void start(Runnable wake) {
				start.accept(wake);
			}

			@Override
			public long run(ClockReading now, Executor requests) {
				run.run();
				return ClockReading.NEVER;
			}

		};
	}

	@Test
	void noRenewalIsSentAfterTheStop() {
		Queue<Runnable> begun = new ConcurrentLinkedQueue<>();
		renewOn(begun::add);
		register("a", Duration.ofSeconds(18));
		await().atMost(LONG).until(() -> !begun.isEmpty());
		this.loop.stop();
		begun.forEach(Runnable::run);
		assertThat(this.store.count("renew")).isZero();
	}

	@Test
	void aPauseOfALeaseWaitsForItsRenewalThatIsUnderway() throws InterruptedException {
		Queue<Runnable> begun = new ConcurrentLinkedQueue<>();
		renewOn(begun::add);
		Lease lease = register("a", Duration.ofSeconds(18));
		await().atMost(LONG).until(() -> !begun.isEmpty());
		this.loop.watchOnly(lease);
		Thread transaction = new Thread(() -> this.loop.awaitRenewals(lease));
		transaction.start();
		await().atMost(LONG).until(() -> transaction.getState() == Thread.State.TIMED_WAITING);
		begun.poll().run();
		transaction.join();
		assertThat(begun).isEmpty();
		this.loop.awaitRenewals(lease);
	}

	@Test
	void requestsForPlacesLeaveRenewalsTheirThreads() {
		CountDownLatch over = new CountDownLatch(1);
		try {
			for (int i = 0; i < QueuePlaces.MAX_REQUESTS + 2 * RenewalSchedule.MAX_REQUESTS; i++) {
				this.threads.renewals().execute(() -> awaitQuietly(over));
			}
		}
		finally {
			over.countDown();
		}
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void aThreadThatCannotBeStartedIsTriedAgain() {
		renewOn((task) -> {
			int failures = this.failures.incrementAndGet();
			if (failures == 1) {
				throw new OutOfMemoryError("unable to create native thread, says the test");
			}
			if (failures == 2) {
				throw new RejectedExecutionException("no thread left, says the test");
			}
			this.threads.renewals().execute(task);
		});
		Lease lease = register("a", Duration.ofSeconds(12));
		await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
		assertThat(this.failures).hasValueGreaterThan(2);
		assertThat(this.lost).isEmpty();
	}

	@Test
	void aRenewalThatWasRefusedBesideOthersIsTold() {
		ScriptedStore refusing = new ScriptedStore() {

			@Override
			public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
				return new RenewalAnswer(0, Set.copyOf(leases),
						new LockStoreException("a", Outcome.REFUSED, "over quota", null));
			}

		};
		this.loop = new ClientLoop(refusing, LockClock.system(), this.threads.renewals(), this.events,
				List.of(places()), new ReleaseRequestPoller(this.store, this.events), new ClientRuntime());
		this.loop.start();
		Lease lease = register("a", Duration.ofSeconds(18));
		await().atMost(LONG)
			.until(() -> LockExceptions.describeLoss(lease, LossReason.DEADLINE).contains("over quota"));
	}

	@Test
	void aWatchThatCannotBeStartedIsStartedByTheNextOne() {
		Queue<Thread> threads = new ArrayDeque<>(List.of(new Thread() {

			@Override
			public synchronized void start() {
				throw new InternalError("unable to create native thread, says the test");
			}

		}));
		this.loop = new ClientLoop(this.store, LockClock.system(), this.threads.renewals(), this.events,
				List.of(places()), new ReleaseRequestPoller(this.store, this.events), new ClientRuntime() {

					@Override
					Thread watch(Runnable task) {
						return (threads.isEmpty()) ? super.watch(task) : threads.remove();
					}

				});
		assertThatExceptionOfType(InternalError.class).isThrownBy(this.loop::start);
		this.loop.start();
		Lease lease = register("a", Duration.ofSeconds(18));
		await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
	}

	@Test
	void theWatchOutlivesAFailureOfWhatItDoesAboutAFailure() {
		AtomicInteger failures = new AtomicInteger(3);
		renewBy(new LockClock() {

			@Override
			public long nanoTime() {
				if (Thread.currentThread().getName().equals("mongo-lock-watch") && failures.getAndDecrement() > 0) {
					throw new OutOfMemoryError("by script");
				}
				return LockClock.system().nanoTime();
			}

			@Override
			public long currentTimeMillis() {
				return LockClock.system().currentTimeMillis();
			}

		}, this.events);
		Lease lease = register("a", Duration.ofSeconds(12));
		await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
	}

	@Test
	void aRenewalWhoseFailureCannotEvenBeSaidIsTriedAgain() {
		this.store.next("renew", (request) -> {
			throw new IllegalStateException() {

				@Override
				public String getMessage() {
					throw new UnsupportedOperationException("by script");
				}

			};
		});
		this.loop.start();
		Lease lease = register("a", Duration.ofSeconds(12));
		await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
		assertThat(this.lost).isEmpty();
	}

	@Test
	void anEventForWhichNoThreadWasToBeHadIsPublishedWhenOneIs() {
		AtomicInteger attempts = new AtomicInteger();
		List<LockHandle> failed = new CopyOnWriteArrayList<>();
		LockListener listener = new LockListener() {

			@Override
			public void onRenewalFailed(LockHandle handle, Throwable failure) {
				failed.add(handle);
			}

		};
		LockEvents events = new LockEvents(List.of(listener), LockClock.system(), (name) -> (task) -> {
			if (name.equals("mongo-lock-events") && attempts.incrementAndGet() <= 2) {
				throw new OutOfMemoryError("unable to create native thread, says the test");
			}
			return new ClientRuntime().daemons(name).newThread(task);
		});
		this.store.nextFails("renew", Outcome.UNKNOWN, false);
		renewBy(LockClock.system(), events);
		register("a", Duration.ofSeconds(12));
		await().atMost(LONG).until(() -> failed.size() == 1);
		assertThat(attempts).hasValue(3);
	}

	@Test
	void aLogThatBlocksHoldsUpNoRenewal() {
		CountDownLatch end = new CountDownLatch(1);
		BlockingAppender log = BlockingAppender.until(end);
		try {
			for (int time = 0; time < 2; time++) {
				this.store.nextFails("renew", Outcome.UNKNOWN, false);
			}
			this.loop.start();
			Lease lease = register("a", Duration.ofSeconds(12));
			await().atMost(LONG).until(() -> lease.remaining(now()).compareTo(Duration.ofSeconds(15)) > 0);
			assertThat(this.store.count("renew")).isEqualTo(3);
			// Another thread may have something to say, too
			await().atMost(LONG).untilAsserted(() -> assertThat(log.blocked).hasPositiveValue());
		}
		finally {
			end.countDown();
			log.detach();
		}
	}

	private QueueMaintenance places() {
		return new QueueMaintenance(this.store, LockClock.system(),
				new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0),
				() -> new ClientThreads(new ClientRuntime()), new StopRequests(new ClientRuntime()));
	}

	private void renewOn(Executor executor) {
		this.loop = new ClientLoop(this.store, LockClock.system(), executor, this.events, List.of(places()),
				new ReleaseRequestPoller(this.store, this.events), new ClientRuntime());
		this.loop.start();
	}

	private void renewBy(LockClock clock, LockEvents events) {
		this.loop = new ClientLoop(this.store, clock, this.threads.renewals(), events, List.of(places()),
				new ReleaseRequestPoller(this.store, events), new ClientRuntime());
		this.loop.start();
	}

	private Lease register(String key, Duration age) {
		LeaseId id = new LeaseId(key, key);
		LockTerms terms = LockTerms.of(LockSettings.NONE);
		this.store.acquire(Claim.of(id, new LockOwner("", "", "", 0, ""), terms.ttl()), LONG);
		ClockReading now = now();
		ClockReading requested = new ClockReading(now.nanos() - age.toNanos(), now.millis() - age.toMillis());
		Lease lease = new Lease(id, 1, terms, requested, this.lost::add);
		this.loop.register(lease);
		return lease;
	}

	private static ClockReading now() {
		return ClockReading.of(LockClock.system());
	}

	/**
	 * Blocks the thread that logs for the loop.
	 */
	private static final class BlockingAppender extends AppenderBase<ILoggingEvent> {

		private final AtomicInteger blocked = new AtomicInteger();

		private final CountDownLatch end;

		private BlockingAppender(CountDownLatch end) {
			this.end = end;
		}

		static BlockingAppender until(CountDownLatch end) {
			BlockingAppender appender = new BlockingAppender(end);
			appender.start();
			logger().addAppender(appender);
			return appender;
		}

		@Override
		public void doAppend(ILoggingEvent event) {
			// not synchronized, as that of the base class is: here all would block
			append(event);
		}

		@Override
		protected void append(ILoggingEvent event) {
			this.blocked.incrementAndGet();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		void detach() {
			logger().detachAppender(this);
		}

		private static Logger logger() {
			return (Logger) LoggerFactory.getLogger(LockEvents.class);
		}

	}

}
