package io.mongolock.faults.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.PrimaryFate;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.mongodb.Sequences;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows 17, 49 and 66: the primary executes a write, reaches nobody to confirm it, and is
 * replaced. What it alone has is then kept or rolled back.
 */
@Timeout(120)
class UnconfirmedRowsTests {

	private static final int BLOCK = SequenceRowsTests.BLOCK;

	@AutoClose
	private final ReplicaSetHarness rig = new ReplicaSetHarness();

	private final ScriptedSet set = this.rig.set();

	@ParameterizedTest(name = "{displayName}: {0}, retryWrites={1}")
	@MethodSource("fates")
	@ShowsRow(value = 17, level = Level.PROXY)
	void aClaimIsGrantedOnce(PrimaryFate fate, boolean retryWrites, RowFigures figures) {
		HarnessClient client = client("&retryWrites=" + retryWrites);
		SetMember old = this.set.primary();
		CompletableFuture<LockHandle> granted = this.set.executeUnconfirmed(client::acquire);
		long executed = old.stored().orElseThrow().fence();
		SetMember next = fate.befall(this.set);
		assertThat(granted).succeedsWithin(Harness.LONG);
		LockHandle handle = granted.join();
		assertThat(handle.fence() == executed).isEqualTo(fate.keeps());
		assertThat(next.stored().orElseThrow().fence()).isEqualTo(handle.fence());
		assertThat(this.set.members()).allSatisfy((member) -> Expect.heldBy(handle, member.holders()));
		handle.close();
		figures.server(ScriptedSet.SERVER).add("double grants", 0);
	}

	@ParameterizedTest(name = "{displayName}: {0}, retryWrites={1}")
	@MethodSource("fates")
	@ShowsRow(value = 66, level = Level.PROXY)
	void aNumberOfASequenceIsGivenToNobody(PrimaryFate fate, boolean retryWrites, RowFigures figures) {
		MongoClient client = client("&retryWrites=" + retryWrites).mongo();
		Sequences one = SequenceRowsTests.sequences(client, Harness.LONG);
		List<Long> given = new ArrayList<>(SequenceRowsTests.numbers(one, BLOCK));
		CompletableFuture<Long> next = this.set.executeUnconfirmed(() -> one.next(SequenceRowsTests.NAME));
		fate.befall(this.set);
		assertThat(next).succeedsWithin(Harness.LONG);
		given.add(next.join());
		given.addAll(SequenceRowsTests.numbers(one, BLOCK));
		given.addAll(SequenceRowsTests.numbers(SequenceRowsTests.sequences(client, Harness.LONG), BLOCK));
		assertThat(given).doesNotHaveDuplicates();
		long value = numbersTaken(this.set.primary());
		assertThat(this.set.members()).allSatisfy((member) -> assertThat(numbersTaken(member)).isEqualTo(value));
		figures.server(ScriptedSet.SERVER).add("twice", 0).add("gaps and blocks in use", value - given.size());
	}

	static Stream<Arguments> fates() {
		return Arrays.stream(PrimaryFate.values())
			.flatMap((fate) -> Stream.of(Arguments.of(fate, true), Arguments.of(fate, false)));
	}

	@Test
	@ShowsRow(value = 49, level = Level.PROXY)
	void aGuardedWriteThatNobodyElseHasWhenThePrimaryDiesWasNotAccepted(RowFigures figures) {
		CompletableFuture<Long> written = write(false);
		PrimaryFate.DIES.befall(this.set);
		assertThat(written).failsWithin(Harness.LONG);
		assertBalanceEverywhere(100);
		figures.server(ScriptedSet.SERVER).add("accepted and rolled back", 0);
	}

	@Test
	@ShowsRow(value = 49, level = Level.PROXY)
	void aGuardedWriteThatIsAcceptedStandsOnTheNextPrimary(RowFigures figures) {
		CompletableFuture<Long> written = write(true);
		PrimaryFate.STEPS_DOWN.befall(this.set);
		assertThat(written).succeedsWithin(Harness.LONG).isEqualTo(1L);
		assertBalanceEverywhere(50);
		figures.server(ScriptedSet.SERVER).add("accepted and kept", 1);
	}

	// By an application whose own write concern is w: 1
	private CompletableFuture<Long> write(boolean retryWrites) {
		HarnessClient client = client("&w=1&retryWrites=" + retryWrites);
		MongoTemplate mongo = new MongoTemplate(client.mongo(), Harness.DATABASE);
		mongo.insert(new Account("account", 100));
		FencedWrites writes = FencedWrites.of(mongo, HarnessClient.store(client.mongo()));
		LockHandle lock = client.acquireUnrenewed();
		return this.set.executeUnconfirmed(() -> writes
			.update(lock, Query.query(Criteria.where("id").is("account")), Update.update("balance", 50), Account.class)
			.getMatchedCount());
	}

	private HarnessClient client(String options) {
		return this.rig.client(this.set.connectionString() + options, Harness.LONG, Harness.LONG);
	}

	private void assertBalanceEverywhere(int balance) {
		assertThat(this.set.members()).allSatisfy(
				(member) -> assertThat(member.document("account").getInt32("balance").getValue()).isEqualTo(balance));
	}

	private static long numbersTaken(SetMember member) {
		return member.document(SequenceRowsTests.NAME).getInt64("value").getValue();
	}

	@Document(Harness.COLLECTION)
	private record Account(@Id String id, int balance) {
	}

}
