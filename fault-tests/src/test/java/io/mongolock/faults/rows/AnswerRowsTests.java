package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.ScriptedServer;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Rows 22, 23 and 32: errors of a replica set, and servers that cannot do what locks
 * need. A script gives the answers.
 */
@Timeout(120)
class AnswerRowsTests {

	private static final String CLAIM = "findAndModify";

	private final AtomicInteger asked = new AtomicInteger();

	@AutoClose
	private final Harness harness = Harness.embedded();

	@AutoClose
	private final ScriptedServer server = new ScriptedServer(this.harness.observer());

	@ParameterizedTest
	@ValueSource(ints = { 64, 50, 91 })
	@ShowsRow(value = 22, level = Level.PROXY)
	void aClaimWhoseWriteConcernFailedIsAskedAgainAndGrantedOnce(int code, RowFigures figures) {
		HarnessClient client = client(Harness.LONG);
		failWriteConcern(code, 1);
		assertGrantedOnce(client);
		assertThat(this.asked).hasValueGreaterThan(1);
		figures.server(ScriptedServer.SERVER).add("requests", this.asked).add("double grants", 0);
	}

	@Test
	@ShowsRow(value = 22, level = Level.PROXY)
	void aClaimWhoseWriteConcernFailedIsUnknownAndLeavesNoOrphan(RowFigures figures) {
		HarnessClient client = client(Duration.ZERO);
		failWriteConcern(64, Integer.MAX_VALUE);
		Expect.outcomeUnknown(client);
		Expect.grantedToNobody(this.harness);
		figures.server(ScriptedServer.SERVER).add("orphans", 0);
	}

	@ParameterizedTest
	@CsvSource({ "91, 1", "91, 2", "10107, 1", "10107, 2", "189, 1" })
	@ShowsRow(value = 23, level = Level.PROXY)
	void aClaimThatMayBeRetriedIsGrantedOnce(int code, int times, RowFigures figures) {
		HarnessClient client = client(Harness.LONG);
		answerClaims(times, retryableError(code));
		assertGrantedOnce(client);
		figures.server(ScriptedServer.SERVER).add("attempts", this.asked).add("double grants", 0);
	}

	@Test
	@ShowsRow(value = 23, level = Level.PROXY)
	void aClaimThatCouldBeRetriedForEverEndsInTimeAndLeavesNothing(RowFigures figures) {
		HarnessClient client = client(Duration.ofSeconds(1));
		answerClaims(Integer.MAX_VALUE, retryableError(91));
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(client::acquire);
		long blocked = System.nanoTime() - start;
		assertThat(Duration.ofNanos(blocked)).isLessThan(Duration.ofSeconds(10));
		assertThat(this.harness.stored()).isEmpty();
		figures.server(ScriptedServer.SERVER).add("attempts", this.asked);
		figures.add("returned after", Harness.millis(blocked));
	}

	@ParameterizedTest(name = "{1}")
	@CsvSource(textBlock = """
			9, FailedToParse, Modifiers operate on fields but we found type array instead, MongoDB 4.4 or later
			168, InvalidPipelineOperator, Unrecognized pipeline stage name: '$replaceWith', MongoDB 4.4 or later
			115, CommandNotSupported, Command not supported, MongoDB 4.4 or later
			17276, Location17276, Use of undefined variable: NOW, MongoDB 4.4 or later
			13, Unauthorized, not authorized on rows to execute command, privileges find
			""")
	@ShowsRow(value = 32, level = Level.PROXY)
	void aServerThatRefusesWhatLocksNeedIsNamedAtOnce(int code, String name, String message, String advice,
			RowFigures figures) {
		HarnessClient client = client(Harness.LONG);
		answerClaims(Integer.MAX_VALUE, BsonDocument
			.parse("{ok: 0.0, code: %d, codeName: '%s', errmsg: \"%s\"}".formatted(code, name, message)));
		LockStoreException failure = catchThrowableOfType(LockStoreException.class, client::acquire);
		assertThat(failure.getOutcome()).isEqualTo(Outcome.REFUSED);
		assertThat(failure).hasMessageContaining(advice);
		assertThat(this.harness.stored()).isEmpty();
		figures.server(ScriptedServer.SERVER).add("requests", this.asked);
	}

	@Test
	@ShowsRow(value = 32, level = Level.PROXY)
	void aServerThatDoesNotTellItsTimeIsNamedAndWhatItGrantedIsTakenBack(RowFigures figures) {
		HarnessClient client = client(Duration.ZERO);
		this.server.script((command, passedOn) -> {
			BsonDocument answer = passedOn.get();
			if (isClaim(command)) {
				answer.getDocument("value").remove("now");
			}
			return answer;
		});
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(client::acquire)
			.withMessageContaining("4.4 or later");
		Expect.grantedToNobody(this.harness);
		figures.server(ScriptedServer.SERVER).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 32, level = Level.PROXY)
	void aStandaloneServerIsEnough(RowFigures figures) {
		try (LockHandle handle = this.harness.direct(Harness.LONG).acquire()) {
			assertThat(handle.isHeld()).isTrue();
		}
		figures.server(this.harness.label()).add("requests", 2);
	}

	private void assertGrantedOnce(HarnessClient client) {
		try (LockHandle handle = client.acquire()) {
			assertThat(this.harness.stored().orElseThrow().fence()).isEqualTo(handle.fence());
			assertThat(this.harness.holders()).hasSize(1);
		}
	}

	private HarnessClient client(Duration wait) {
		LockSettings settings = HarnessClient.settings(Harness.LONG, wait);
		return this.harness.client(this.server.connectionString(), settings, LockClock.system()).warm();
	}

	private void failWriteConcern(int code, int times) {
		this.server.script((command, passedOn) -> {
			BsonDocument answer = passedOn.get();
			if (isClaim(command) && this.asked.incrementAndGet() <= times) {
				answer.append("writeConcernError",
						BsonDocument.parse("{code: %d, errmsg: 'waiting for replication failed'}".formatted(code)));
			}
			return answer;
		});
	}

	private void answerClaims(int times, BsonDocument answer) {
		this.server.script((command, passedOn) -> (isClaim(command) && this.asked.incrementAndGet() <= times) ? answer
				: passedOn.get());
	}

	private static boolean isClaim(BsonDocument command) {
		return command.getFirstKey().equals(CLAIM) && command.containsKey("upsert");
	}

	private static BsonDocument retryableError(int code) {
		return BsonDocument
			.parse("{ok: 0.0, code: %d, errmsg: 'retry', errorLabels: ['RetryableWriteError']}".formatted(code));
	}

}
