package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 70: locks with several holders.
 */
@Timeout(180)
class ManyHoldersRowsTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 70, level = Level.SERVER)
	void aReaderThatDiedHoldsUpAWriterForItsOwnTtlAndOtherReadersNotAtAll(RowFigures figures) {
		LockRequest read = LockRequest.builder(Harness.KEY).shared().build();
		HarnessClient reader = this.harness.direct(Harness.LONG);
		HarnessClient writer = this.harness.direct(Harness.LONG);
		Claim dead = Claim.of(new LeaseId(Harness.KEY, "dead"), new LockOwner("dead", "1", "", 1, ""), TTL)
			.withLimit(LockRequest.UNLIMITED);
		assertThat(this.harness.store().acquire(dead, Harness.LONG).grantTo("dead")).isPresent();
		LockHandle first = reader.locks().acquire(read);
		LockHandle second = reader.locks().acquire(read);
		first.close();
		assertThat(writer.locks().tryAcquire(LockRequest.of(Harness.KEY))).isEmpty();
		this.harness.clock().step(TTL);
		assertThat(writer.locks().tryAcquire(LockRequest.of(Harness.KEY))).as("beside a reader").isEmpty();
		second.renew();
		CompletableFuture<LockHandle> writing = writer.locks().acquireAsync(LockRequest.of(Harness.KEY));
		second.close();
		LockHandle writes = writing.join();
		assertThat(writes.fence()).isGreaterThan(second.fence());
		assertThat(this.harness.holders()).extracting(StoredHolder::fence).containsExactly(writes.fence());
		writes.close();
		figures.server(this.harness.label()).add("readers", 3);
	}

}
