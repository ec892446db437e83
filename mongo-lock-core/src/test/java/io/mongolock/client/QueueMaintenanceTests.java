package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.ReflectionUtils;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockTerms;
import io.mongolock.core.QueuePlaces;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;
import io.mongolock.store.TimeLeft;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueMaintenance}, whose time and requests go on as the test says. A
 * place lasts 6 s, a retry interval is 100 ms.
 */
class QueueMaintenanceTests {

	private static final LockOwner OWNER = new LockOwner("app", "1", "host", 1, "");

	private final QueuePlaces places = new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES,
			(bound) -> bound - 1);

	private final ClientQueues client = new ClientQueues(this.places, () -> true);

	private final List<String> requests = new ArrayList<>();

	private final Queue<Runnable> underway = new ArrayDeque<>();

	private long millis;

	private int watches;

	private int ahead;

	private boolean live = true;

	private final List<String> left = new CopyOnWriteArrayList<>();

	private boolean breaks;

	private boolean fails;

	private Throwable failure = new IllegalStateException("from the test");

	private Runnable onClose = () -> {
	};

	private final ClientThreads threads = new ClientThreads(new ClientRuntime());

	private final LockClock clock = new LockClock() {

		@Override
		public long nanoTime() {
			return QueueMaintenanceTests.this.millis * 1_000_000;
		}

		@Override
		public long currentTimeMillis() {
			return QueueMaintenanceTests.this.millis;
		}

	};

	private final TimeLeft time = new TimeLeft(this.clock, 1_000_000_000);

	private final QueueMaintenance task = new QueueMaintenance(new QueueStore(), this.clock, this.places,
			() -> this.threads, new StopRequests(new ClientRuntime()));

	@AfterEach
	void stop() {
		this.threads.stop();
	}

	@BeforeEach
	void start() {
		this.task.start(() -> {
		});
	}

	@Test
	void releasesAreWatchedOnceWhileAnybodyWaitsAndForTenSecondsAfter() {
		goOnTo(0);
		assertThat(this.requests).as("nobody waits").isEmpty();
		LockAcquisition one = stand("one");
		LockAcquisition other = stand("other");
		goOnTo(1);
		goOnTo(2);
		assertThat(this.requests).containsOnlyOnce("watch");
		one.cancel();
		goOnTo(1_000);
		other.cancel();
		goOnTo(10_999);
		assertThat(this.watches).isOne();
		goOnTo(11_000);
		assertThat(this.watches).as("closed when idle").isZero();
		stand("late");
		goOnTo(11_001);
		assertThat(this.watches).isOne();
	}

	@Test
	void theNextRunIsDueWithThePlacesAndWithTheEndOfTheWatch() {
		assertThat(run()).isEqualTo(ClockReading.NEVER);
		LockAcquisition one = stand("one");
		goOnTo(1);
		assertThat(run()).as("to refresh it").isLessThanOrEqualTo(Duration.ofSeconds(6).toNanos());
		one.cancel();
		goOnTo(2);
		assertThat(this.watches).isOne();
		assertThat(run()).as("to close the watch").isLessThanOrEqualTo(Duration.ofSeconds(10).toNanos());
	}

	@Test
	void releasesAreWatchedFromTheLookOnThatShowsAPlaceNearTheHead() {
		this.ahead = 100;
		stand("one");
		for (int now = 0; now < 6_000; now += 10) {
			goOnTo(now);
		}
		assertThat(this.requests).containsOnly("refresh [one]");
		this.ahead = 10;
		goOnTo(7_600);
		goOnTo(7_601);
		assertThat(this.watches).isOne();
	}

	@Test
	void aWaiterThatComesAsTheIdleWatchIsAboutToCloseKeepsItOpen() {
		LockAcquisition one = stand("one");
		goOnTo(0);
		one.cancel();
		goOnTo(5_000);
		this.millis = 20_000;
		run();
		assertThat(run()).as("until then nothing is due").isPositive();
		assertThat(this.underway).as("it is to be closed").hasSize(1);
		stand("late");
		run();
		this.underway.forEach(Runnable::run);
		assertThat(this.watches).isOne();
	}

	@Test
	void aWaiterThatComesAsTheWatchClosesIsLookedAtAndHasItOpenedAnew() {
		LockAcquisition one = stand("one");
		goOnTo(0);
		one.cancel();
		goOnTo(5_000);
		this.onClose = () -> stand("late");
		goOnTo(20_000);
		assertThat(this.watches).isZero();
		this.requests.clear();
		goOnTo(20_000);
		assertThat(this.requests).containsExactlyInAnyOrder("watch", "look [late]");
	}

	@Test
	void aWatchThatIsNotClosedForWantOfAThreadIsClosedLater() {
		LockAcquisition one = stand("one");
		goOnTo(0);
		one.cancel();
		goOnTo(5_000);
		this.millis = 20_000;
		assertThat(this.task.run(now(), (request) -> {
			throw new RejectedExecutionException("from the test");
		})).isPositive();
		goOnTo(30_000);
		assertThat(this.watches).isZero();
	}

	@Test
	void aWatchThatEndsWithAnErrorBeforeItIsOpenIsTriedLater() {
		this.fails = true;
		this.failure = new NoClassDefFoundError("from the test");
		stand("one");
		goOnTo(0);
		this.fails = false;
		goOnTo(10_000);
		assertThat(this.watches).isOne();
	}

	@Test
	void aWatchThatCannotBeOpenedIsTriedLaterAndLooksGoOn() {
		this.fails = true;
		stand("one");
		goOnTo(0);
		assertThat(this.watches).isZero();
		goOnTo(100);
		assertThat(this.requests).containsExactly("watch", "look [one]");
		this.fails = false;
		goOnTo(10_000);
		assertThat(this.watches).isOne();
	}

	@Test
	void allKeysShareOneLookAndOneRefresh() {
		this.live = false;
		List<String> keys = Stream.of("a", "b", "c").peek(this::stand).toList();
		goOnTo(0);
		this.requests.clear();
		goOnTo(100);
		assertThat(this.requests).containsExactly("look " + keys);
		this.requests.clear();
		goOnTo(2_000);
		goOnTo(2_001);
		assertThat(this.requests).filteredOn((request) -> request.startsWith("refresh"))
			.containsExactly("refresh " + keys);
	}

	@Test
	void whileReleasesAreWatchedNothingIsAskedBetweenTwoRefreshes() {
		stand("a");
		stand("b");
		goOnTo(0);
		this.requests.clear();
		for (int now = 1; now < 2_000; now += 10) {
			goOnTo(now);
		}
		assertThat(this.requests).isEmpty();
		goOnTo(2_000);
		goOnTo(2_001);
		assertThat(this.requests).containsExactly("refresh [a, b]");
	}

	@Test
	void aPlaceIsLookedAtAgainAfterALookThatFailed() {
		this.live = false;
		stand("a");
		goOnTo(0);
		this.fails = true;
		goOnTo(100);
		this.requests.clear();
		this.fails = false;
		goOnTo(200);
		assertThat(this.requests).containsExactly("look [a]");
	}

	@Test
	void aPlaceThatIsAboutToBeLeftAtTheStopIsLeftByIt() {
		LockAcquisition one = stand("one");
		goOnTo(0);
		one.cancel();
		run();
		assertThat(this.underway).as("it is to be left").hasSize(1);
		this.task.leaveAll(this.time);
		this.underway.forEach(Runnable::run);
		this.task.leaveAll(this.time);
		// On threads of the stop, which waits for all of them in the end
		Awaitility.await().untilAsserted(() -> assertThat(this.left).containsExactly("one"));
	}

	@Test
	void anInterruptOutlivesAStopThatFails() {
		stand("one");
		goOnTo(0);
		this.breaks = true;
		Thread.currentThread().interrupt();
		this.task.leaveAll(this.time);
		assertThat(Thread.interrupted()).isTrue();
	}

	private void goOnTo(long millis) {
		this.millis = millis;
		run();
		while (!this.underway.isEmpty()) {
			this.underway.remove().run();
		}
	}

	private long run() {
		return this.task.run(now(), this.underway::add);
	}

	private ClockReading now() {
		return new ClockReading(this.millis * 1_000_000, this.millis);
	}

	private LockAcquisition stand(String key) {
		LockTerms terms = LockTerms.of(LockSettings.builder().waitTimeout(Duration.ofHours(1)).build());
		Attempt attempt = new Attempt(LockRequest.of(key), new LeaseId(key, "me"), 1, OWNER, terms, now());
		LockAcquisition acquisition = new LockAcquisition(this.client, attempt, 0, (lost) -> {
			throw new IllegalStateException("Nobody holds anything here");
		});
		acquisition.begin(new LockAcquisition.Caller() {

			@Override
			public void turn() {
				// It would ask again and be denied
			}

			@Override
			public void stop() {
				throw new UnsupportedOperationException();
			}

		}, now());
		for (int request = 0; request < 2; request++) {
			acquisition.send(now());
			StoredLock lock = lock(key);
			acquisition.answered(new ClaimAnswer(lock), now());
		}
		return acquisition;
	}

	// Somebody else holds it for long
	private StoredLock lock(String key) {
		Instant now = Instant.ofEpochMilli(this.millis);
		List<StoredWaiter> queue = Stream
			.concat(IntStream.range(0, this.ahead).mapToObj((i) -> "w" + i), Stream.of("me"))
			.map((token) -> new StoredWaiter(token, 1, OWNER, now, Duration.ofSeconds(6)))
			.toList();
		return new StoredLock(key, List.of(new StoredHolder("holder", 1, 1, OWNER, now, now, Duration.ofHours(1))),
				queue, List.of(), 1, now);
	}

	private static List<String> keys(List<LeaseId> ids) {
		return ids.stream().map(LeaseId::key).sorted().toList();
	}

	private final class QueueStore extends ScriptedStore {

		@Override
		public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
			QueueMaintenanceTests.this.requests.add("refresh " + keys(claims));
			return keys(claims).stream().map(QueueMaintenanceTests.this::lock).toList();
		}

		@Override
		public int leaveAll(List<LeaseId> claims, Duration timeout) {
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			if (QueueMaintenanceTests.this.breaks) {
				throw new OutOfMemoryError("by script");
			}
			QueueMaintenanceTests.this.left.addAll(keys(claims));
			return claims.size();
		}

		@Override
		public List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
			QueueMaintenanceTests.this.requests.add("look " + keys(claims));
			failIfToldSo();
			return keys(claims).stream().map(QueueMaintenanceTests.this::lock).toList();
		}

		@Override
		public List<StoredLock> findAll(List<String> keys, Duration timeout) {
			throw new UnsupportedOperationException("It would bring the whole queues");
		}

		@Override
		public StoreSubscription watchReleases(ReleaseListener listener) {
			QueueMaintenanceTests.this.requests.add("watch");
			failIfToldSo();
			QueueMaintenanceTests.this.watches++;
			return new StoreSubscription() {

				@Override
				public boolean isLive() {
					return QueueMaintenanceTests.this.live;
				}

				@Override
				public void close() {
					QueueMaintenanceTests.this.watches--;
					QueueMaintenanceTests.this.onClose.run();
				}

			};
		}

		private void failIfToldSo() {
			if (QueueMaintenanceTests.this.fails) {
				ReflectionUtils.rethrowRuntimeException(QueueMaintenanceTests.this.failure);
			}
		}

	}

}
