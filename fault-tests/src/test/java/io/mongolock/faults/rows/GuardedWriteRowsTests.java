package io.mongolock.faults.rows;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.mongodb.FencedWrites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 49: a guarded write of an application whose own write concern is {@code w: 1}.
 */
@Timeout(120)
class GuardedWriteRowsTests {

	@AutoClose
	private final ReplicaSetHarness rig = new ReplicaSetHarness();

	private final ScriptedSet set = this.rig.set();

	@Test
	@ShowsRow(value = 49, level = Level.PROXY)
	void aWriteThatNobodyElseHasWhenThePrimaryDiesWasNotAccepted(RowFigures figures) {
		SetMember old = this.set.primary();
		CompletableFuture<Long> written = write(false);
		this.set.killPrimary();
		this.set.heal();
		SetMember next = this.set.elect();
		assertThat(written).failsWithin(Harness.LONG);
		assertThat(balance(next)).isEqualTo(100);
		assertThat(balance(old)).as("rolled back").isEqualTo(100);
		figures.server(ScriptedSet.SERVER).add("accepted and rolled back", 0);
	}

	@Test
	@ShowsRow(value = 49, level = Level.PROXY)
	void aWriteThatIsAcceptedStandsOnTheNextPrimary(RowFigures figures) {
		CompletableFuture<Long> written = write(true);
		this.set.stepDown();
		this.set.heal();
		this.set.elect();
		assertThat(written).succeedsWithin(Harness.LONG).isEqualTo(1L);
		assertThat(this.set.members()).allSatisfy((member) -> assertThat(balance(member)).isEqualTo(50));
		figures.server(ScriptedSet.SERVER).add("accepted and kept", 1);
	}

	// Executed by the primary, which reaches nobody
	private CompletableFuture<Long> write(boolean retryWrites) {
		HarnessClient client = this.rig.client(this.set.connectionString() + "&w=1&retryWrites=" + retryWrites,
				Harness.LONG, Harness.LONG);
		MongoTemplate mongo = new MongoTemplate(client.mongo(), Harness.DATABASE);
		mongo.insert(new Account("account", 100));
		FencedWrites writes = FencedWrites.of(mongo, HarnessClient.store(client.mongo()));
		LockHandle lock = client.locks().acquire(LockRequest.builder(Harness.KEY).autoRenew(false).build());
		this.set.loseMajority();
		CompletableFuture<Long> written = CompletableFuture.supplyAsync(() -> writes
			.update(lock, Query.query(Criteria.where("id").is("account")), Update.update("balance", 50), Account.class)
			.getMatchedCount());
		await().atMost(Harness.LONG).until(() -> written.isDone() || this.set.hasUnconfirmed());
		assertThat(written).as("accepted while one member has it").isNotDone();
		return written;
	}

	private static int balance(SetMember member) {
		return member.document("account").getInt32("balance").getValue();
	}

	@Document(Harness.COLLECTION)
	private record Account(@Id String id, int balance) {

	}

}
