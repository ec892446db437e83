package io.mongolock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.QueuePlaces;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The queue across instances, each of which is a client of its own. Nothing here depends
 * on how quick it is.
 */
@Timeout(180)
class QueueTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockRequest PATIENT = LockRequest.builder("k").waitTimeout(LONG).build();

	private static final LockRequest ONCE = LockRequest.builder("k").waitTimeout(Duration.ZERO).build();

	private final WatchedStore store = new WatchedStore();

	private final List<LockTemplate> clients = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<Integer> order = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.clients.forEach((client) -> client.stop(Duration.ofSeconds(1)));
		this.threads.shutdownNow();
	}

	@Test
	void instancesAreServedInTheOrderOfTheirComing() throws Exception {
		assertServedInOrder(PATIENT);
	}

	@Test
	void instancesAreServedInTheOrderOfTheirComingAsReleasesAreWatched() throws Exception {
		this.store.live = true;
		assertServedInOrder(PATIENT);
		// A hint that comes beside a look counts twice, and costs a request
		assertThat(this.store.count("acquire"))
			.as("of the holder, and first, in the queue and granted of each, not of all for each release")
			.isBetween(1 + 8 * 3, 1 + 8 * 4);
	}

	@Test
	void readersThatWaitTogetherEnterTogetherAndTheWriterBehindThemLast() throws Exception {
		LockHandle writer = client().acquire(PATIENT);
		LockRequest shared = LockRequest.builder("k").shared().waitTimeout(LONG).build();
		Future<LockHandle> one = waits(client(), shared);
		Future<LockHandle> other = waits(client(), shared);
		Future<LockHandle> last = waits(client(), PATIENT);
		writer.close();
		LockHandle first = one.get();
		LockHandle second = other.get();
		assertThat(first.isHeld()).isTrue();
		assertThat(last.isDone()).isFalse();
		first.close();
		second.close();
		assertThat(last.get().isHeld()).isTrue();
	}

	@Test
	void aLimitedLockIsGrantedToTheFirstInQueue() throws Exception {
		LockRequest limited = LockRequest.builder("k").limit(2).waitTimeout(LONG).build();
		LockHandle first = client().acquire(limited);
		LockHandle second = client().acquire(limited);
		Future<LockHandle> one = waits(client(), limited);
		Future<LockHandle> other = waits(client(), limited);
		first.close();
		assertThat(one.get().isHeld()).isTrue();
		assertThat(other.isDone()).isFalse();
		second.close();
		assertThat(other.get().isHeld()).isTrue();
	}

	@Test
	void anAttemptThatDoesNotWaitIsDeniedWhileOthersStandInTheQueue() throws Exception {
		this.store.live = true;
		this.store.silent = true;
		LockHandle holder = client().acquire(PATIENT);
		Future<LockHandle> waiting = waits(client(), PATIENT);
		holder.close();
		assertThat(client().tryAcquire(ONCE)).as("the lock is free, and somebody stands in the queue").isEmpty();
		this.store.notify("k");
		assertThat(waiting.get().isHeld()).isTrue();
	}

	@Test
	void aWaiterThatTimesOutLeavesTheQueueAndIsToldItsPosition() {
		client().acquire(PATIENT);
		Future<LockHandle> ahead = waits(client(), PATIENT);
		LockRequest brief = LockRequest.builder("k").waitTimeout(Duration.ofMillis(300)).build();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client().acquire(brief))
			.withMessageContaining("2nd in the queue of 2, behind client 2");
		awaitLine(1);
		ahead.cancel(true);
		awaitLine(0);
	}

	@Test
	void aCancelledAsynchronousClaimLeavesTheQueue() {
		client().acquire(PATIENT);
		CompletableFuture<LockHandle> waiting = client().acquireAsync(PATIENT);
		awaitLine(1);
		waiting.cancel(true);
		awaitLine(0);
	}

	@Test
	void aStopLeavesTheQueueAndClosesTheWatch() {
		this.store.live = true;
		client().acquire(PATIENT);
		LockTemplate client = client();
		Future<LockHandle> waiting = waits(client, PATIENT);
		Awaitility.await().until(() -> this.store.watches.size() == 1);
		client.stop(LONG);
		assertThat(queue()).isEmpty();
		assertThat(this.store.watches).isEmpty();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(waiting::get);
	}

	@Test
	void placesAreKeptWhileTheirClaimsWait() {
		client().acquire(PATIENT);
		waits(client(Duration.ofMillis(600), (none) -> {
		}), PATIENT);
		StoredWaiter place = queue().get(0);
		Awaitility.await().until(() -> queue().get(0).renewedAt().isAfter(place.renewedAt().plusMillis(600)));
		assertThat(queue()).singleElement().extracting(StoredWaiter::leaseToken).isEqualTo(place.leaseToken());
	}

	@Test
	void aPlaceThatRanOutIsTakenAnew() throws Exception {
		LockHandle holder = client().acquire(PATIENT);
		Future<LockHandle> waiting = waits(client(Duration.ofMillis(600), (none) -> {
		}), PATIENT);
		this.store.store.leave(new LeaseId("k", queue().get(0).leaseToken()), LONG);
		awaitLine(1);
		holder.close();
		assertThat(waiting.get().isHeld()).isTrue();
	}

	@Test
	void aDeadWaiterAtTheHeadCostsTheLifeOfItsPlace() throws Exception {
		this.store.live = true;
		LockHandle holder = client().acquire(PATIENT);
		this.store.store.acquire(Claims.waiting(Claim.of(new LeaseId("k", "dead"), owner(0), Duration.ofMinutes(10)),
				Duration.ofMillis(1500)), LONG);
		Future<LockHandle> waiting = waits(client(), PATIENT);
		holder.close();
		assertThat(waiting.get().isHeld()).isTrue();
		assertThat(queue()).as("its place stays for a while")
			.extracting(StoredWaiter::leaseToken)
			.containsExactly("dead");
	}

	@Test
	void listenersHearOnceOfAPlaceInQueue() throws Exception {
		List<LockPlace> places = new CopyOnWriteArrayList<>();
		LockHandle holder = client().acquire(PATIENT);
		waits(client(), PATIENT);
		Future<LockHandle> waiting = waits(client(Duration.ofSeconds(6), places::add), PATIENT);
		Awaitility.await().untilAsserted(() -> assertThat(places).containsExactly(new LockPlace(2, 2)));
		holder.close();
		waiting.cancel(true);
		assertThat(places).hasSize(1);
	}

	@Test
	void hintsOfNothingChangeNoOrder() throws Exception {
		this.store.live = true;
		LockHandle holder = client().acquire(PATIENT);
		List<Future<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiting.add(waits(client(HandOver.DEFAULT), PATIENT));
		}
		IntStream.range(0, 20).forEach((i) -> this.store.notify("k"));
		assertThat(waiting).noneMatch(Future::isDone);
		holder.close();
		for (int i = 0; i < 3; i++) {
			LockHandle granted = waiting.get(i).get();
			assertThat(waiting.subList(i + 1, 3)).noneMatch(Future::isDone);
			granted.close();
		}
	}

	@Test
	void withoutAWatchAndWithALongRetryIntervalTheRefreshFindsTheRelease() {
		this.store.silent = true;
		LockHandle holder = client().acquire(PATIENT);
		LockRequest seldom = LockRequest.builder("k")
			.waitTimeout(LONG.multipliedBy(10))
			.retryInterval(LONG.multipliedBy(5))
			.build();
		Future<LockHandle> waiting = waits(client(Duration.ofMillis(600), (none) -> {
		}), seldom);
		holder.close();
		assertThat(waiting).succeedsWithin(LONG);
	}

	@Test
	void whenItsBlockOfFencesIsUsedUpOthersHaveTheirTurn() {
		LockTemplate one = client(new HandOver(Duration.ofHours(1), 2));
		LockTemplate other = client(new HandOver(Duration.ofHours(1), 2));
		LockHandle holder = one.acquire(PATIENT);
		CompletableFuture<LockHandle> before = other.acquireAsync(PATIENT);
		awaitLine(1);
		List<CompletableFuture<LockHandle>> turn = IntStream.range(0, 5)
			.mapToObj((i) -> one.acquireAsync(PATIENT))
			.toList();
		holder.close();
		LockHandle between = before.orTimeout(60, TimeUnit.SECONDS).join();
		awaitLine(1);
		CompletableFuture<LockHandle> after = other.acquireAsync(PATIENT);
		between.close();
		turn.get(0).join();
		awaitLine(1);
		turn.subList(0, 3).forEach((handle) -> handle.orTimeout(60, TimeUnit.SECONDS).join().close());
		assertThat(after).succeedsWithin(LONG);
		assertThat(turn.subList(3, 5)).noneMatch(CompletableFuture::isDone);
		after.join().close();
		turn.subList(3, 5).forEach((handle) -> handle.orTimeout(60, TimeUnit.SECONDS).join().close());
	}

	private void assertServedInOrder(LockRequest request) throws Exception {
		LockHandle holder = client().acquire(request);
		List<Future<?>> waiting = new ArrayList<>();
		for (int number = 0; number < 8; number++) {
			int waiter = number;
			waiting.add(waits(client(), () -> client(waiter + 1).execute(request, (handle) -> this.order.add(waiter))));
		}
		holder.close();
		for (Future<?> waiter : waiting) {
			waiter.get();
		}
		assertThat(this.order).containsExactlyElementsOf(IntStream.range(0, 8).boxed().toList());
	}

	private LockTemplate client(int number) {
		return this.clients.get(number);
	}

	private Future<LockHandle> waits(LockTemplate client, LockRequest request) {
		int length = queue().size();
		Future<LockHandle> waiting = this.threads.submit(() -> client.acquire(request));
		awaitLine(length + 1);
		return waiting;
	}

	private Future<?> waits(LockTemplate client, Runnable claim) {
		int length = queue().size();
		Future<?> waiting = this.threads.submit(claim);
		awaitLine(length + 1);
		return waiting;
	}

	@Test
	void anInstanceBeyondTheBoundOfTheQueueIsDeniedAtOnce() throws Exception {
		LockHandle held = client().acquire(PATIENT);
		Future<LockHandle> last = waits(client(), PATIENT);
		LockTemplate third = client(LONG, (none) -> {
		}, HandOver.DEFAULT, 1);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> third.acquire(PATIENT))
			.withMessageContaining("its queue is full, because mongo-lock.max-places is 1");
		awaitLine(1);
		held.close();
		last.get().close();
	}

	private void awaitLine(int length) {
		Awaitility.await().atMost(LONG).until(() -> queue().size() == length);
	}

	private List<StoredWaiter> queue() {
		return this.store.store.find("k", LONG).map(StoredLock::queue).orElse(List.of());
	}

	private LockTemplate client() {
		return client(Duration.ofSeconds(6), (none) -> {
		});
	}

	private LockTemplate client(Duration placeTtl, Consumer<LockPlace> onWaiting) {
		return client(placeTtl, onWaiting, HandOver.DEFAULT);
	}

	private LockTemplate client(HandOver handOver) {
		return client(LONG, (none) -> {
		}, handOver);
	}

	private LockTemplate client(Duration placeTtl, Consumer<LockPlace> onWaiting, HandOver handOver) {
		return client(placeTtl, onWaiting, handOver, QueuePlaces.MAX_PLACES);
	}

	private LockTemplate client(Duration placeTtl, Consumer<LockPlace> onWaiting, HandOver handOver, int maxPlaces) {
		LockListener listener = new LockListener() {

			@Override
			public void onWaiting(LockRequest request, LockPlace place) {
				onWaiting.accept(place);
			}

		};
		LockTemplate client = new LockTemplate(this.store.toStore(),
				new ClientOptions(ConfiguredSettings.NONE, owner(this.clients.size() + 1), LockClock.system(),
						List.of(listener))
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(handOver)
					.withPlaceTtl(placeTtl)
					.withMaxPlaces(maxPlaces));
		this.clients.add(client);
		return client;
	}

	private static LockOwner owner(int number) {
		return new LockOwner("client", String.valueOf(number), "host", 1, "");
	}

}
