package io.mongolock.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.dashboard.Activity.Loss;
import io.mongolock.dashboard.Activity.Name;
import io.mongolock.dashboard.Activity.Stuck;
import io.mongolock.dashboard.Activity.Turn;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockActivity}.
 */
class LockActivityTests {

	private final LockHandle handle = mock(LockHandle.class);

	private final AtomicLong nanos = new AtomicLong(-5);

	private final LockActivity activity = new LockActivity(new LockClock() {

		@Override
		public long nanoTime() {
			return LockActivityTests.this.nanos.get();
		}

		@Override
		public long currentTimeMillis() {
			return 0;
		}

	});

	@Test
	void aDurationCountsWhereItIsWithinTheBound() {
		LockRequest request = LockRequest.of("order", 1);
		for (long millis : new long[] { 0, 1, 2, 3_000, 3_001, 300_000, 300_001 }) {
			this.activity.attempted(this, request, AttemptOutcome.GRANTED, null, Duration.ofMillis(millis));
		}
		assertThat(read().bounds()).startsWith(1L, 3L).endsWith(300_000L).hasSize(12);
		assertThat(read().names()).singleElement()
			.isEqualTo(new Name("order", List.of(2L, 1L, 0L, 0L, 0L, 0L, 0L, 1L, 1L, 0L, 0L, 1L, 1L),
					new Durations().counts()));
	}

	@Test
	void onlyGrantedClaimsCountAsWaits() {
		for (AttemptOutcome outcome : AttemptOutcome.values()) {
			this.activity.attempted(this, LockRequest.of("order", 1), outcome, null, Duration.ZERO);
		}
		assertThat(read().names().get(0).waits()).startsWith(1L);
	}

	@Test
	void turnsAreListedOnceWithTheTimeSinceTheirEnd() {
		end("order:1", Duration.ofSeconds(2));
		this.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
		end("order:2", Duration.ofMillis(7));
		assertThat(read().turns()).containsExactly(new Turn(1, "order:1", "released", 2_000, 5_000),
				new Turn(2, "order:2", "released", 7, 0));
		assertThat(this.activity.since(1, 0, 0).turns()).extracting(Turn::key).containsExactly("order:2");
		assertThat(this.activity.since(2, 0, 0).turns()).isEmpty();
	}

	@Test
	void theLatestTurnsAndLossesAreKept() {
		IntStream.rangeClosed(1, 500).forEach((i) -> end("order:" + i, Duration.ZERO));
		IntStream.rangeClosed(1, 50)
			.forEach((i) -> this.activity.lost(this.handle, LockRequest.of("order", i), LossReason.REFUSED));
		Activity read = read();
		assertThat(read.turn()).isEqualTo(500);
		assertThat(read.turns()).hasSize(LockActivity.MAX_TURNS).extracting(Turn::key).endsWith("order:500");
		assertThat(read.lost()).isEqualTo(50);
		assertThat(read.losses()).hasSize(LockActivity.MAX_LOSSES).startsWith(new Loss(50, "order:50", "refused", 0));
	}

	@Test
	void theLatestDeadlocksAreKeptWithTheKeysOfTheirLocks() {
		LockOwner owner = new LockOwner("shop", "1", "host", 1, "main");
		IntStream.rangeClosed(1, 50)
			.forEach((i) -> this.activity
				.onDeadlock(new LockDeadlock(List.of(new LockDeadlock.Wait("order:" + i, owner, Instant.EPOCH, owner),
						new LockDeadlock.Wait("account:2", owner, Instant.EPOCH, owner)))));
		assertThat(read().deadlocks()).hasSize(LockActivity.MAX_LOSSES)
			.startsWith(new Stuck(50, List.of("order:50", "account:2"), 0));
		assertThat(read().toJson()).contains("\"keys\":[\"order:50\",\"account:2\"]").doesNotContain("host");
	}

	@Test
	void namesWithoutEndDoNotFillTheMemory() {
		IntStream.range(0, 1_000)
			.forEach((i) -> this.activity.attempted(this, LockRequest.of("name" + i, 1), AttemptOutcome.GRANTED, null,
					Duration.ZERO));
		assertThat(read().names()).hasSize(LockActivity.MAX_NAMES + 1);
		assertThat(read().names()).filteredOn((name) -> name.name().equals("others"))
			.extracting((name) -> name.waits().get(0))
			.containsExactly(1_000L - LockActivity.MAX_NAMES);
	}

	@Test
	void aTurnWhoseClaimWasNeverSeenHasItsHolds() {
		end("order:1", Duration.ZERO);
		assertThat(read().names()).extracting(Name::name).containsExactly("none");
	}

	private void end(String key, Duration heldFor) {
		this.activity.ended(this.handle, LockRequest.of(key), ReleaseOutcome.RELEASED, heldFor);
	}

	private Activity read() {
		return this.activity.since(0, 0, 0);
	}

}
