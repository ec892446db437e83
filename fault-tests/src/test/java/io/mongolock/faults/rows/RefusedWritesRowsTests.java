package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.CommandSelection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Row 80: the server refuses to write, statement by statement, as with a validator, a
 * unique index, a quota or a full disk.
 */
@Timeout(120)
class RefusedWritesRowsTests implements LockListener {

	private static final String REASON = "error 121: 'Document failed validation'";

	private final Map<String, Integer> failed = new ConcurrentHashMap<>();

	private final Map<String, LossReason> lost = new ConcurrentHashMap<>();

	@AutoClose
	private final Harness harness = Harness.onAnyServer();

	@Override
	public void onRenewalFailed(LockHandle handle, Throwable failure) {
		assertThat(failure).hasMessageContaining(REASON);
		this.failed.merge(handle.key(), 1, Integer::sum);
	}

	@Override
	public void onLost(LockHandle handle, LossReason reason) {
		this.lost.put(handle.key(), reason);
	}

	@Test
	@ShowsRow(value = 80, level = Level.SERVER)
	void aLeaseWhoseRenewalsAreRefusedForAWhileIsKept(RowFigures figures) {
		LockTemplate locks = locks(Duration.ofSeconds(18));
		try {
			List<LockHandle> held = Stream.of("a", "b", "c").map((key) -> locks.acquire(LockRequest.of(key))).toList();
			mark("c");
			refuseUnmarked();
			await().atMost(Harness.LONG).until(() -> this.failed.getOrDefault("a", 0) > 2);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(held.get(0)::renew)
				.withMessageContaining(REASON);
			assertThat(held).as("refused by the server, which is no loss").allMatch(LockHandle::isHeld);
			refuseNothing();
			Duration whenHealed = held.get(0).remaining();
			await().atMost(Harness.LONG)
				.until(() -> held.stream().allMatch((handle) -> handle.remaining().compareTo(whenHealed) > 0));
			held.forEach(LockHandle::close);
			assertThat(this.lost).isEmpty();
			assertThat(this.failed).as("that in the middle of the batch is not affected").doesNotContainKey("c");
			figures.server(this.harness.label()).add("lost", 0).add("refused renewals", this.failed.get("a"));
		}
		finally {
			locks.stop(Duration.ofSeconds(5));
		}
	}

	@Test
	@ShowsRow(value = 80, level = Level.SERVER)
	void aLeaseWhoseRenewalsAreRefusedToTheEndIsLostAtItsDeadlineWithTheReason(RowFigures figures) {
		LockTemplate locks = locks(Duration.ofSeconds(10));
		try {
			LockHandle handle = locks.acquire(LockRequest.of(Harness.KEY));
			refuseUnmarked();
			await().atMost(Harness.LONG).until(() -> !this.lost.isEmpty());
			assertThat(this.lost).containsOnly(Map.entry(Harness.KEY, LossReason.DEADLINE));
			String token = this.harness.holders().get(0).leaseToken();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld)
				.withMessageContaining(REASON)
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain(token));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
			refuseNothing();
			figures.server(this.harness.label()).add("refused renewals", this.failed.get(Harness.KEY));
		}
		finally {
			locks.stop(Duration.ofSeconds(5));
		}
	}

	@Test
	@ShowsRow(value = 80, level = Level.SERVER)
	void aLockWhoseReleaseWasRefusedIsFreeSoonAfterTheFault(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Duration.ofMinutes(2), Duration.ZERO);
		AtomicInteger releases = new AtomicInteger();
		CommandSelection counted = this.harness.releases().when((command) -> releases.incrementAndGet() < 0);
		counted.cut().always();
		LockHandle handle = client.acquire();
		refuseUnmarked();
		handle.close();
		// At growing distances there would be 7.5 s to the next one, and 15 to that after
		// it
		await().atMost(Harness.LONG).until(() -> releases.get() > 4);
		assertThat(this.harness.holders()).hasSize(1);
		refuseNothing();
		long start = System.nanoTime();
		this.harness.awaitFree();
		long took = System.nanoTime() - start;
		assertThat(Duration.ofNanos(took)).isLessThan(Harness.LONG);
		figures.server(this.harness.label())
			.add("ttl", "120 s")
			.add("free after the fault within", Harness.millis(took));
	}

	private LockTemplate locks(Duration ttl) {
		return HarnessClient.locks(this.harness.store(), HarnessClient.settings(ttl, Harness.LONG), LockClock.system(),
				this);
	}

	private void mark(String key) {
		this.harness.documents().updateOne(new Document("_id", key), Document.parse("{ $set: { marked: true } }"));
	}

	private void refuseUnmarked() {
		validate("{ marked: { $exists: true } }");
	}

	private void refuseNothing() {
		validate("{}");
	}

	private void validate(String validator) {
		this.harness.observer()
			.getDatabase(Harness.DATABASE)
			.runCommand(new Document("collMod", Harness.COLLECTION).append("validator", Document.parse(validator)));
	}

}
