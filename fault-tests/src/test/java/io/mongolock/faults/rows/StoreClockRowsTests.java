package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.IndexOptions;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows 29, 44 and 70: time passes at the server, because its clock is set. Only that of
 * the embedded one can be without a library.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class StoreClockRowsTests {

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 29, level = Level.SERVER)
	void aHolderWhoseDocumentTheTtlIndexRemovedHasLost(RowFigures figures) {
		this.harness.documents()
			.createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(1L, TimeUnit.SECONDS));
		HarnessClient client = this.harness.direct(Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		LockHandle unaware = client.locks().acquire(LockRequest.builder("order:2").autoRenew(false).build());
		this.harness.clock().step(Duration.ofSeconds(2));
		assertThat(this.harness.server().runTtlMonitor()).isGreaterThanOrEqualTo(2);
		Expect.lost(handle::renew);
		assertThat(handle.isHeld()).isFalse();
		Expect.lost(handle::close);
		Expect.lost(unaware::close);
		assertThat(this.harness.documents().countDocuments()).as("neither came back").isZero();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.harness.label()).add("resurrected", 0).add("fence regressions", 0);
	}

	@Test
	@ShowsRow(value = 44, level = Level.SERVER)
	void leasesOfDifferentLengthsAreEachRespected(RowFigures figures) {
		HarnessClient brief = this.harness.direct(Duration.ofSeconds(1));
		HarnessClient lengthy = this.harness.direct(Duration.ofSeconds(20));
		LockHandle handle = lengthy.acquireUnrenewed();
		this.harness.clock().step(Duration.ofSeconds(5));
		assertThat(brief.tryAcquire()).as("the lease of its holder counts").isEmpty();
		handle.close();
		LockHandle next = brief.acquireUnrenewed();
		this.harness.clock().step(Duration.ofSeconds(2));
		assertThat(lengthy.tryAcquire()).isPresent();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.harness.label()).add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 70, level = Level.SERVER)
	void aReaderThatDiedHoldsUpAWriterForItsOwnTtlAndOtherReadersNotAtAll(RowFigures figures) {
		Duration ttl = Duration.ofSeconds(10);
		LockRequest read = LockRequest.builder(Harness.KEY).shared().build();
		HarnessClient reader = this.harness.direct(Harness.LONG);
		HarnessClient writer = this.harness.direct(Harness.LONG);
		Claim dead = Claim.of(new LeaseId(Harness.KEY, "dead"), new LockOwner("dead", "1", "", 1, ""), ttl)
			.withLimit(LockRequest.UNLIMITED);
		assertThat(this.harness.store().acquire(dead, Harness.LONG).grantTo("dead")).isPresent();
		LockHandle first = reader.locks().acquire(read);
		LockHandle second = reader.locks().acquire(read);
		first.close();
		assertThat(writer.tryAcquire()).isEmpty();
		this.harness.clock().step(ttl);
		assertThat(writer.tryAcquire()).as("beside a reader").isEmpty();
		second.renew();
		CompletableFuture<LockHandle> writing = writer.acquireAsync();
		second.close();
		assertThat(writing.join().fence()).isGreaterThan(second.fence());
		Expect.heldBy(writing.join(), this.harness.holders());
		figures.server(this.harness.label()).add("readers", 3);
	}

}
