package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessResourceFailureException;

import io.mongolock.data.SequenceSettings;
import io.mongolock.data.Sequences;
import io.mongolock.data.store.SequenceStore;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Row 65: numbers of a sequence when messages are lost or late.
 */
@Timeout(120)
class SequenceRowsTests {

	static final String NAME = "invoice";

	static final int BLOCK = 5;

	@AutoClose
	private final Harness harness = Harness.embedded();

	@AutoClose
	private final MongoClient faulty = MongoClients.create(this.harness.proxied());

	@ParameterizedTest(name = "{displayName}: {0}")
	@ValueSource(strings = { "reply lost", "request lost" })
	@ShowsRow(value = 65, level = Level.PROXY)
	void aLostMessageIsAGapAtMostAndNeverANumberTwice(String what, RowFigures figures) {
		Sequences one = sequences(this.faulty, Harness.LONG);
		Sequences other = sequences(this.harness.observer(), Harness.LONG);
		List<Long> given = new ArrayList<>();
		for (int i = 0; i < 4 * BLOCK; i++) {
			if (i % BLOCK == 0) {
				this.harness.lose(what, "findAndModify");
			}
			given.add(one.next(NAME));
			given.add(other.next(NAME));
		}
		assertThat(given).doesNotHaveDuplicates();
		Document stored = this.harness.documents().find(new Document("_id", NAME)).first();
		assertThat(stored.getLong("value")).isGreaterThanOrEqualTo(given.size());
		figures.server(this.harness.label()).add("numbers", given.size()).add("twice", 0);
		figures.add("gaps, " + what, stored.getLong("value") - given.size());
	}

	@Test
	@ShowsRow(value = 65, level = Level.PROXY)
	void aRequestThatIsExecutedAfterItsCallerGaveUpIsAGap(RowFigures figures) {
		Sequences late = sequences(this.faulty, Duration.ofSeconds(2));
		Sequences other = sequences(this.harness.observer(), Harness.LONG);
		// With a connection that is open, the request is on its way in time
		List<Long> given = new ArrayList<>(block(sequences(this.faulty, Harness.LONG)));
		given.add(other.next(NAME));
		Hold hold = this.harness.proxy().on("findAndModify").holdRequest();
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> late.next(NAME))
			.withMessageContaining("It is safe to ask again");
		given.addAll(block(other));
		this.harness.deliver(hold, "findAndModify");
		given.addAll(block(other));
		given.addAll(block(sequences(this.faulty, Harness.LONG)));
		assertThat(given).doesNotHaveDuplicates();
		figures.server(this.harness.label()).add("twice", 0);
	}

	static List<Long> block(Sequences sequences) {
		return Stream.generate(() -> sequences.next(NAME)).limit(BLOCK).toList();
	}

	static Sequences sequences(MongoClient client, Duration timeout) {
		return Sequences.of(new SequenceStore(HarnessClient.template(client), Harness.COLLECTION, "", timeout),
				Map.of(NAME, new SequenceSettings(BLOCK, 1)));
	}

}
