package io.mongolock.faults.spring;

import java.util.List;

import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.ScriptedServer;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The user of the connection lacks rights: the application starts all the same.
 */
@ReadsOutput
class RightsTests {

	@AutoClose
	private final EmbeddedMongo mongo = EmbeddedMongo.start();

	@AutoClose
	private final OtherClient other = new OtherClient(this.mongo.connectionString());

	@AutoClose
	private final ScriptedServer server = new ScriptedServer(this.other.mongo());

	@Test
	@ShowsRow(value = 31, level = Level.SPRING)
	void withoutTheRightToCreateIndexesLocksWork(RowFigures figures, CapturedOutput output) {
		refuse("createIndexes");
		try (ConfigurableApplicationContext context = start()) {
			assertThat(output).containsOnlyOnce("The TTL index on 'touchedAt'")
				.contains("not authorized")
				.contains("db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})")
				.doesNotContain("\tat ");
			context.getBean(Guarded.class).run("a", () -> assertThat(this.other.seesHeld(Guarded.key("a"))).isTrue());
			assertThat(this.other.seesHeld(Guarded.key("a"))).isFalse();
		}
		figures.server(ScriptedServer.SERVER);
	}

	@Test
	@ShowsRow(value = 31, level = Level.SPRING)
	void aUserWhoMayOnlyReadIsToldAtTheFirstClaim(RowFigures figures) {
		refuse("createIndexes", "findAndModify", "update");
		try (ConfigurableApplicationContext context = start()) {
			Guarded guarded = context.getBean(Guarded.class);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> guarded.run("a", () -> {
			}))
				.withMessageContaining("it was refused")
				.withMessageContaining("privileges find, insert and update on the collection 'locks'");
		}
		figures.server(ScriptedServer.SERVER);
	}

	private void refuse(String... commands) {
		BsonDocument refusal = BsonDocument.parse(
				"{ok: 0.0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on test to execute command'}");
		this.server.script(
				(command, passedOn) -> (List.of(commands).contains(command.getFirstKey())) ? refusal : passedOn.get());
	}

	private ConfigurableApplicationContext start() {
		return SpringApp.start(this.server.connectionString(), Guarded.class);
	}

}
