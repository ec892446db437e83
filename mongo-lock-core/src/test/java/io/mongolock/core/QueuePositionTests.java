package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueuePosition}.
 */
class QueuePositionTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final int SHARED = Integer.MAX_VALUE;

	private final List<StoredHolder> holders = new ArrayList<>();

	private final List<StoredWaiter> queue = new ArrayList<>();

	@Test
	void aWaiterWithoutAPlaceOrWithAnExpiredPlaceIsNotInTheQueue() {
		waits("other", 1, 5);
		assertThat(place(1)).isNull();
		waits("mine", 1, 0);
		assertThat(place(1)).isNull();
	}

	@Test
	void positionAndLengthCountOnlyPlacesThatLive() {
		waits("dead", 1, 0);
		waits("first", 1, 5);
		waits("mine", 1, 5);
		waits("last", 1, 5);
		assertThat(place(1).toLockPlace()).isEqualTo(new LockPlace(2, 3));
		assertThat(place(1).ahead()).extracting(LockOwner::thread).containsExactly("first");
	}

	@Test
	void anExclusiveClaimHasAsManyTurnsToWaitAsThereAreBeforeIt() {
		holds(1, 30);
		waits("first", 1, 5);
		waits("second", 1, 5);
		waits("mine", 1, 5);
		assertThat(place(1).releasesNeeded()).isEqualTo(3);
		assertThat(place(1).admits(2)).isFalse();
		assertThat(place(1).admits(3)).isTrue();
		assertThat(place(1).admits(4)).as("more hints than there are before it").isTrue();
	}

	@Test
	void whomTheRuleAdmitsNowHasNoTurnToWait() {
		holds(3, 30);
		waits("first", 3, 5);
		waits("mine", 3, 5);
		assertThat(place(3).releasesNeeded()).isZero();
		holds(3, 30);
		assertThat(place(3).releasesNeeded()).isEqualTo(1);
	}

	@Test
	void readersBehindAWriterAreAdmittedTogetherWhenItHasGone() {
		holds(1, 30);
		waits("reader", SHARED, 5);
		waits("mine", SHARED, 5);
		assertThat(place(SHARED).releasesNeeded()).isEqualTo(1);
	}

	@Test
	void aReaderWaitsForTheWriterAheadOfIt() {
		holds(SHARED, 30);
		waits("writer", 1, 5);
		waits("mine", SHARED, 5);
		assertThat(place(SHARED).releasesNeeded()).isEqualTo(1);
		assertThat(place(SHARED).opensIn()).as("of the two only the writer is in the way").hasSeconds(5);
	}

	@Test
	void aPlaceOpensWhenThoseBeforeItHaveRunOut() {
		holds(1, 30);
		waits("first", 1, 5);
		waits("mine", 1, 5);
		assertThat(place(1).opensIn()).hasSeconds(30);
		assertThat(place(3).opensIn()).as("still behind exclusive ones").hasSeconds(30);
		this.holders.clear();
		assertThat(place(1).opensIn()).hasSeconds(5);
		this.queue.remove(0);
		assertThat(place(1).opensIn()).isZero();
	}

	@Test
	void placesThatAreNotShownCountAsMuchInTheWayAsAny() {
		holds(SHARED, 30);
		waits("first", SHARED, 5);
		waits("mine", SHARED, 5);
		QueuePosition seen = place(SHARED, new HiddenPlaces(20, 2, 3));
		assertThat(seen.toLockPlace()).isEqualTo(new LockPlace(22, 25));
		assertThat(seen.othersAhead()).isEqualTo(21);
		assertThat(seen.releasesNeeded()).isEqualTo(20);
		assertThat(seen.opensIn()).as("as long as any").hasSeconds(30);
		assertThat(place(SHARED, new HiddenPlaces(20, SHARED, 0)).releasesNeeded()).as("all readers").isZero();
	}

	@Test
	void readersBehindAWriterThatIsShownNeedNoMoreReleasesTheMoreOfThemAreHidden() {
		holds(1, 30);
		waits("writer", 1, 5);
		waits("mine", SHARED, 5);
		assertThat(place(SHARED, new HiddenPlaces(20, SHARED, 0)).releasesNeeded()).isEqualTo(2);
	}

	private QueuePosition place(int limit) {
		return place(limit, HiddenPlaces.NONE);
	}

	private QueuePosition place(int limit, HiddenPlaces hidden) {
		Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", "mine"), limit,
				new LockOwner("", "", "", 0, ""), ConfiguredSettings.NONE.terms(), new ClockReading(0, 0));
		return QueuePosition.of(attempt,
				new StoredLock("k", this.holders, this.queue, List.of(), 1, NOW, null, hidden));
	}

	private void holds(int limit, int seconds) {
		this.holders.add(new StoredHolder("h" + this.holders.size(), 1, limit, new LockOwner("", "", "", 0, ""), NOW,
				NOW, Duration.ofSeconds(seconds)));
	}

	private void waits(String token, int limit, int seconds) {
		this.queue
			.add(new StoredWaiter(token, limit, new LockOwner("", "", "", 0, token), NOW, Duration.ofSeconds(seconds)));
	}

}
