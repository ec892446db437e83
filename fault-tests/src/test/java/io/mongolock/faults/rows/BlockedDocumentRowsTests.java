package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RecordingLockListener.Loss;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Row 48: a lock document that no renewal gets past.
 */
@Timeout(180)
class BlockedDocumentRowsTests {

	private static final Duration TTL = Duration.ofSeconds(15);

	@Test
	@ShowsRow(value = 48, level = Level.PROXY)
	void oneBlockedDocumentLosesItsOwnLockAlone(RowFigures figures) {
		try (Harness harness = Harness.embedded()) {
			harness.renewals().when(BlockedDocumentRowsTests::renewsTheBlocked).holdAllRequests();
			HarnessClient client = harness.behindProxy(TTL, Duration.ZERO);
			List<LockHandle> others = new ArrayList<>();
			for (int i = 0; i < 499; i++) {
				others.add(client.locks().acquire(LockRequest.of("order:" + i)));
			}
			for (int i = 0; i < 50; i++) {
				others.add(client.locks()
					.acquire(LockRequest.builder("brief:" + i)
						.ttl(TTL.dividedBy(2))
						.waitTimeout(Duration.ZERO)
						.build()));
			}
			// the last, so that whatever is not renewed is lost before
			LockHandle blocked = client.locks().acquire(LockRequest.of("blocked"));
			await().atMost(Harness.LONG).until(() -> !client.told().losses().isEmpty());
			assertThat(client.told().losses()).extracting(Loss::key, Loss::reason)
				.containsExactly(tuple("blocked", LossReason.DEADLINE));
			assertThat(blocked.isHeld()).isFalse();
			assertThat(others).allMatch(LockHandle::isHeld);
			figures.add("held", 500)
				.add("with shorter timeouts", 50)
				.add("lost", client.told().losses().size())
				.add("least time left to another", Harness
					.millis(others.stream().mapToLong((lock) -> lock.remaining().toNanos()).min().orElseThrow()));
		}
	}

	private static boolean renewsTheBlocked(BsonDocument command) {
		return command.getArray("updates")
			.stream()
			.anyMatch((update) -> update.asDocument().getDocument("q").getString("_id").getValue().equals("blocked"));
	}

}
