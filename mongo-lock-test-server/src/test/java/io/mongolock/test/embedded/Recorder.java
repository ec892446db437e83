package io.mongolock.test.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;

import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.TestOutput;

/**
 * Runs every statement on a real server and writes anew what it answers. Not a test, and
 * so not named like one: it runs when asked for by name, as CONTRIBUTING.md says.
 */
class Recorder {

	private static final Path FILES = Path.of("src", "test", "resources", "real-server");

	private static final JsonWriterSettings INDENTED = JsonWriterSettings.builder()
		.outputMode(JsonMode.RELAXED)
		.indent(true)
		.indentCharacters(" ")
		.build();

	@Test
	void record() throws IOException {
		if (GivenServer.uri().isPresent()) {
			record(GivenServer.uri().get());
			return;
		}
		MongodBinary binary = MongodBinary.find()
			.orElseThrow(() -> new IllegalStateException("There is no real server to record: name one with "
					+ GivenServer.NAME + " or the path of a mongod with " + MongodBinary.NAME));
		try (RealMongo set = RealMongo.builder(binary).replicaSet(1).start()) {
			record(set.connectionString());
		}
		if (binary.version().startsWith("4.4.")) {
			try (RealMongo standalone = RealMongo.builder(binary).start()) {
				record(standalone.connectionString());
			}
		}
	}

	private static void record(String uri) throws IOException {
		try (ServerUnderTest server = ServerUnderTest.real(uri)) {
			record(server);
		}
	}

	private static void record(ServerUnderTest server) throws IOException {
		Recording recording = server.recording();
		BsonArray cases = new BsonArray();
		for (BsonDocument statement : Recording.statements()) {
			Replay replay = Replay.of(new RecordedCase(statement, new BsonDocument()), server);
			BsonDocument answer = new BsonDocument("name", statement.get("name"));
			answer.putAll(RelativeTimes.relative(replay.answer(), replay.span()).asDocument());
			cases.add(answer);
		}
		write(server, recording.file(), "cases", cases);
		if (recording.isReplicaSet()) {
			write(server, recording.changeStreamFile(), "steps", steps(server));
			write(server, recording.transactionsFile(), "scenarios", scenarios(server));
		}
	}

	private static BsonArray steps(ServerUnderTest server) {
		BsonArray steps = new BsonArray();
		ChangeStreamStep.Events stream = ChangeStreamStep.Events.open(server);
		for (ChangeStreamStep step : ChangeStreamStep.all()) {
			step.run(server);
			steps.add(new BsonDocument("step", new BsonString(step.name())).append("events",
					withoutTimes(stream.readAll())));
		}
		return steps;
	}

	private static BsonArray scenarios(ServerUnderTest server) {
		BsonArray scenarios = new BsonArray();
		for (TransactionScenario scenario : TransactionScenario.all()) {
			BsonDocument answers = new BsonDocument("name", new BsonString(scenario.name()));
			answers.putAll(scenario.run(server, new BsonDocument()));
			scenarios.add(answers);
		}
		return scenarios;
	}

	private static BsonValue withoutTimes(BsonValue value) {
		if (value instanceof BsonDocument document) {
			BsonDocument without = new BsonDocument();
			document.forEach((name, field) -> without.append(name, withoutTimes(field)));
			return without;
		}
		if (value instanceof BsonArray array) {
			return new BsonArray(array.stream().map(Recorder::withoutTimes).toList());
		}
		if (value.isDateTime()) {
			return new BsonDocument("$$date", new BsonString("any"));
		}
		// a fence, which begins with the clock
		return (value instanceof BsonInt64) ? new BsonDocument("$$number", new BsonString("any")) : value;
	}

	private static void write(ServerUnderTest server, String file, String name, BsonArray content) throws IOException {
		BsonDocument recording = new BsonDocument("server", new BsonString(server.version())).append(name, content);
		Files.writeString(FILES.resolve(file), recording.toJson(INDENTED) + "\n");
		TestOutput.say("Recorded " + content.size() + " " + name + " of MongoDB " + server.version() + " in "
				+ FILES.resolve(file));
	}

}
