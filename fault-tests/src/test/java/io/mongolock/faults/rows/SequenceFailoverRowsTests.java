package io.mongolock.faults.rows;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.mongodb.client.MongoClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.mongodb.Sequences;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 66: numbers of a sequence when the primary dies or steps down.
 */
@Timeout(120)
class SequenceFailoverRowsTests {

	private static final int BLOCK = SequenceRowsTests.BLOCK;

	@AutoClose
	private final ReplicaSetHarness rig = new ReplicaSetHarness();

	private final ScriptedSet set = this.rig.set();

	@ParameterizedTest(name = "{displayName}: {0}, {1}, retryWrites={2}")
	@CsvSource({ "steps down, kept, true", "steps down, kept, false", "steps down, rolled back, true",
			"steps down, rolled back, false", "dies, rolled back, true", "dies, rolled back, false" })
	@ShowsRow(value = 66, level = Level.PROXY)
	void aNumberThatOneMemberAloneHasIsGivenToNobody(String what, String fate, boolean retryWrites,
			RowFigures figures) {
		MongoClient client = client(retryWrites);
		Sequences one = SequenceRowsTests.sequences(client, Harness.LONG);
		List<Long> given = new ArrayList<>(SequenceRowsTests.numbers(one, BLOCK));
		SetMember old = this.set.primary();
		this.set.loseMajority();
		CompletableFuture<Long> next = CompletableFuture.supplyAsync(() -> one.next(SequenceRowsTests.NAME));
		await().atMost(Harness.LONG).until(() -> next.isDone() || this.set.hasUnconfirmed());
		replace(what, (fate.equals("kept")) ? old : null);
		assertThat(next).succeedsWithin(Harness.LONG);
		given.add(next.join());
		given.addAll(SequenceRowsTests.numbers(one, BLOCK));
		given.addAll(SequenceRowsTests.numbers(SequenceRowsTests.sequences(client, Harness.LONG), BLOCK));
		assertThat(given).doesNotHaveDuplicates();
		long value = value(this.set.primary());
		assertThat(this.set.members()).allSatisfy((member) -> assertThat(value(member)).isEqualTo(value));
		figures.server(ScriptedSet.SERVER).add("twice", 0).add("gaps and blocks in use, " + fate, value - given.size());
		client.close();
	}

	private void replace(String what, SetMember next) {
		if (what.equals("dies")) {
			this.set.killPrimary();
		}
		else {
			this.set.stepDown();
		}
		this.set.heal();
		if (next != null) {
			this.set.elect(next);
		}
		else {
			this.set.elect();
		}
	}

	private MongoClient client(boolean retryWrites) {
		return this.rig.client(this.set.connectionString() + "&retryWrites=" + retryWrites, Harness.LONG, Harness.LONG)
			.mongo();
	}

	private static long value(SetMember member) {
		return member.document(SequenceRowsTests.NAME).getInt64("value").getValue();
	}

}
