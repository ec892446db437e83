package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LockTerms;
import io.mongolock.core.RenewalBatch;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener.Loss;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Row 48: a lock document that no renewal gets past.
 */
@Timeout(180)
class BlockedDocumentRowsTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	@Test
	@ShowsRow(value = 48, level = Level.PROXY)
	void oneBlockedDocumentLosesItsOwnLockAlone(RowFigures figures) {
		try (Harness harness = Harness.embedded()) {
			harness.renewals().when(BlockedDocumentRowsTests::renewsTheBlocked).holdAllRequests();
			// A claim that a busy machine does not answer in time is asked again
			HarnessClient client = harness.behindProxy(TTL, Harness.LONG);
			List<LockHandle> others = new ArrayList<>();
			for (int i = 0; i < 499; i++) {
				others.add(client.locks().acquire(LockRequest.of("order:" + i)));
			}
			for (int i = 0; i < 50; i++) {
				others.add(client.locks().acquire(LockRequest.builder("brief:" + i).ttl(TTL.minusSeconds(5)).build()));
			}
			// The last, so that whatever is not renewed is lost before
			LockHandle blocked = client.locks().acquire(LockRequest.of("blocked"));
			await().atMost(Duration.ofSeconds(90)).until(() -> !client.heard().losses().isEmpty());
			assertThat(client.heard().losses()).extracting(Loss::key, Loss::reason)
				.containsExactly(tuple("blocked", LossReason.DEADLINE));
			assertThat(blocked.isHeld()).isFalse();
			assertThat(others).allMatch(LockHandle::isHeld);
			figures.server(harness.label())
				.add("held", 500)
				.add("with another ttl", 50)
				.add("lost", client.heard().losses().size())
				.add("least time left to another", Harness
					.millis(others.stream().mapToLong((lock) -> lock.remaining().toNanos()).min().orElseThrow()));
		}
	}

	/** With less time than a busy machine leaves to real requests. */
	@ParameterizedTest
	@ValueSource(ints = { 6, 30 })
	@ShowsRow(value = 48, level = Level.UNIT)
	void oneBlockedDocumentLosesItsOwnLockAloneWhateverTheTtl(int seconds, RowFigures figures) {
		List<Lease> lost = new ArrayList<>();
		RenewalSchedule schedule = new RenewalSchedule((bound) -> bound / 2);
		List<Lease> held = new ArrayList<>();
		for (int i = 0; i < 550; i++) {
			// 50 have shorter operation timeouts than the other 500, of which one is
			// blocked
			Duration ttl = Duration.ofSeconds((i < 50) ? 1 : seconds);
			held.add(new Lease(new LeaseId("order:" + i, "token"), 1,
					LockTerms.of(LockSettings.builder().ttl(ttl).build()), at(0), lost::add));
			schedule.add(held.get(i), at(0));
		}
		Lease blocked = held.remove(300);
		Map<RenewalBatch, Long> hanging = new LinkedHashMap<>();
		for (long millis = 0; millis < 2_000L * seconds; millis += 5) {
			ClockReading now = at(millis);
			for (RenewalBatch batch : List.copyOf(hanging.keySet())) {
				if (millis >= hanging.get(batch)) {
					hanging.remove(batch);
					schedule.failed(batch, now);
				}
			}
			for (RenewalBatch batch : schedule.due(now)) {
				if (batch.leases().contains(blocked)) {
					hanging.put(batch, millis + batch.timeout().toMillis());
				}
				else {
					schedule.answered(batch, RenewalAnswer.of(batch.leases().size()), now, now);
				}
			}
			assertThat(hanging).as("underway").hasSizeLessThanOrEqualTo(RenewalSchedule.MAX_REQUESTS);
		}
		assertThat(lost).containsExactly(blocked);
		assertThat(held).allMatch((lease) -> lease.isHeld(at(2_000L * seconds - 5)));
		figures.add("ttl", seconds + " s").add("held", 500).add("with shorter timeouts", 50).add("lost", 1);
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

	private static boolean renewsTheBlocked(BsonDocument command) {
		return command.getArray("updates")
			.stream()
			.anyMatch((update) -> update.asDocument().getDocument("q").getString("_id").getValue().equals("blocked"));
	}

}
