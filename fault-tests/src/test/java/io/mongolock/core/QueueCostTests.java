package io.mongolock.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a queue that stands still costs by its length: the product's own
 * {@link QueuePlaces}, one for each instance, on a clock that jumps to what is due next.
 */
class QueueCostTests {

	private static final Path PAGE = Path.of("../benchmarks/figures.md");

	private static final Duration TTL = Duration.ofSeconds(6);

	private static final long WATCHED = Duration.ofSeconds(60).toNanos();

	private static final LockOwner OWNER = new LockOwner("app", "1", "host", 42, "");

	/** Of a longer queue some stand for all. */
	private static final int MOST = 300;

	@Test
	void aLongQueueCostsByFarLessThanItsLength() throws IOException {
		List<String> rows = new ArrayList<>();
		for (int instances : new int[] { 25, 100, 300, 1_000, 3_000, 10_000 }) {
			rows.add(String.format(Locale.ROOT, "| %,d | %.0f | %,d |", instances, perSecond(instances), instances));
		}
		assertThat(perSecond(300)).isLessThan(100);
		assertThat(Files.readAllLines(PAGE)).as("benchmarks/figures.md").containsAll(rows);
	}

	private static double perSecond(int instances) {
		Random random = new Random(instances);
		int each = Math.max(1, instances / MOST);
		PriorityQueue<Instance> due = new PriorityQueue<>(Comparator.comparingLong((one) -> one.nextAt));
		for (int ahead = 0; ahead < instances; ahead += each) {
			due.add(new Instance(ahead, instances, random));
		}
		long begin = TTL.toNanos() * 2;
		int requests = 0;
		while (due.element().nextAt < begin + WATCHED) {
			Instance next = due.remove();
			boolean counts = next.nextAt >= begin;
			int sent = next.run();
			requests += (counts) ? sent : 0;
			due.add(next);
		}
		return requests * each / (WATCHED / 1e9);
	}

	/** One that waits, with a stream if it is near the head. */
	private static final class Instance {

		private final int ahead;

		private final int all;

		private final QueuePlaces places;

		private long nextAt;

		Instance(int ahead, int all, Random random) {
			this.ahead = ahead;
			this.all = all;
			this.places = new QueuePlaces(TTL, QueuePlaces.MAX_PLACES, random::nextLong);
			this.nextAt = random.nextLong(TTL.toNanos());
			ClockReading now = now();
			Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", "mine"), 1, OWNER,
					LockTerms.of(LockSettings.builder().waitTimeout(Duration.ofHours(1)).build()), now);
			QueuePlace place = this.places.enter(attempt, () -> {
				throw new IllegalStateException("Nothing moves here");
			}, Long.MAX_VALUE, now);
			QueuePosition seen = Objects.requireNonNull(QueuePosition.of(attempt, lock()));
			this.places.stands(place, seen, now);
			this.nextAt += this.places.nextIn(now);
		}

		int run() {
			List<PlaceRequest> requests = this.places.due(this.places.watchFor() > 0, now());
			requests.forEach((request) -> this.places.answered(request, List.of(lock()), now()));
			this.nextAt += Math.max(1, this.places.nextIn(now()));
			return requests.size();
		}

		private ClockReading now() {
			return new ClockReading(this.nextAt, this.nextAt / 1_000_000);
		}

		// As the store shortens it
		private StoredLock lock() {
			Instant now = Instant.ofEpochMilli(this.nextAt / 1_000_000);
			int shown = Math.min(this.ahead, HiddenPlaces.SHOWN);
			List<StoredWaiter> queue = Stream
				.concat(IntStream.range(0, shown).mapToObj((i) -> "w" + i), Stream.of("mine"))
				.map((token) -> new StoredWaiter(token, 1, OWNER, now, TTL))
				.toList();
			return new StoredLock("k", List.of(new StoredHolder("h", 7, 1, OWNER, now, now, Duration.ofSeconds(30))),
					queue, List.of(), 7, now, null, new HiddenPlaces(this.ahead - shown, 1, this.all - this.ahead - 1));
		}

	}

}
