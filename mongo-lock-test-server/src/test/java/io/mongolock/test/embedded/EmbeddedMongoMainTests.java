package io.mongolock.test.embedded;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link EmbeddedMongoMain}.
 */
@Tag("process")
class EmbeddedMongoMainTests {

	private static final String READY = "mongo-lock embedded server ready at ";

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "--port=x", "--port=-1", "--port=65536", "--port", "--bind=", "--upsert-race=maybe",
			"--replica-set=yes", "--help", "27017" })
	void wrongArgumentsAreExplainedInOneLine(String arg) {
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		assertThat(EmbeddedMongoMain.start(new String[] { arg }, System.out, new PrintStream(err, true))).isEqualTo(2);
		assertThat(err.toString(StandardCharsets.UTF_8).lines()).singleElement()
			.asString()
			.contains("'" + arg + "'")
			.contains("--port=0..65535")
			.contains("--upsert-race=retry|client-error")
			.contains("--replica-set");
	}

	@Test
	void argumentsSetUpTheServer() {
		assertThat(Arguments.parse()).isEqualTo(new Arguments(27017, "127.0.0.1", UpsertRace.RETRY, false));
		assertThat(Arguments.parse("--port=0", "--bind=0.0.0.0", "--upsert-race=client-error", "--replica-set"))
			.isEqualTo(new Arguments(0, "0.0.0.0", UpsertRace.CLIENT_ERROR, true));
	}

	@Test
	void aReplicaSetIsStartedIfAskedFor() {
		for (String[] args : List.of(new String[] { "--port=0" }, new String[] { "--port=0", "--replica-set" })) {
			try (EmbeddedMongo server = Arguments.parse(args).toBuilder().start();
					MongoClient client = MongoClients.create(server.connectionString())) {
				Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
				assertThat(hello.containsKey("setName")).isEqualTo(args.length == 2);
			}
		}
	}

	@Test
	void aTakenPortIsExplainedInOneLine() throws IOException {
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			String[] args = { "--port=" + taken.getLocalPort() };
			assertThat(EmbeddedMongoMain.start(args, System.out, new PrintStream(err, true))).isEqualTo(1);
		}
		assertThat(err.toString(StandardCharsets.UTF_8).lines()).singleElement()
			.asString()
			.contains("choose another port");
	}

	@Test
	void runsAsAProcessOfItsOwnUntilKilled() throws Exception {
		Path out = this.directory.resolve("out");
		Path err = this.directory.resolve("err");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), EmbeddedMongoMain.class.getName(), "--port=0")
			.redirectOutput(out.toFile())
			.redirectError(err.toFile())
			.start();
		try {
			await().atMost(Duration.ofSeconds(30)).until(() -> Files.readString(out).contains("memory only"));
			String line = Files.readString(out).strip();
			assertThat(line).startsWith(READY).endsWith(", data in memory only").hasLineCount(1);
			String uri = line.substring(READY.length(), line.indexOf(','));
			try (MongoClient client = MongoClients.create(uri)) {
				client.getDatabase("test").getCollection("locks").insertOne(new Document("_id", "k"));
				assertThat(client.getDatabase("test").getCollection("locks").countDocuments()).isEqualTo(1);
				assertThat(process.isAlive()).isTrue();
			}
		}
		finally {
			process.destroyForcibly();
			await().atMost(Duration.ofSeconds(10)).until(() -> !process.isAlive());
		}
		assertThat(List.of(Files.readString(err), Files.readString(out).lines().skip(1).toList().toString()))
			.isEqualTo(List.of("", "[]"));
	}

}
