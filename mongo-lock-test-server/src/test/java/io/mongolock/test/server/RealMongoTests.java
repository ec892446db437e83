package io.mongolock.test.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RealMongo}.
 */
@NeedsMongod
@Tag("process")
@Timeout(180)
class RealMongoTests {

	private final MongodBinary binary = MongodBinary.find().orElseThrow();

	@Test
	void aStandaloneServerAnswersAndLeavesNothing() {
		ServerLogs logs = new ServerLogs();
		RealMongo server = RealMongo.builder(this.binary).logs(logs).start();
		RealMember member = server.members().get(0);
		long pid = member.pid();
		try (server; MongoClient client = MongoClients.create(server.connectionString())) {
			Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
			assertThat(hello).containsEntry("isWritablePrimary", true).doesNotContainKey("setName");
			assertThat(server.label()).matches("mongod \\d+\\.\\d+\\.\\d+, standalone server");
		}
		assertThat(ProcessHandle.of(pid)).isEmpty();
		assertThat(member.log().getParent().getParent()).doesNotExist();
	}

	@Test
	void onlyItsUserIsLetIntoASetWithAuthentication() {
		try (RealMongo set = RealMongo.builder(this.binary).replicaSet(1).authentication().testCommands().start();
				MongoClient client = MongoClients.create(set.connectionString());
				MongoClient stranger = MongoClients
					.create(set.connectionString().replaceFirst("//.*@", "//") + "&serverSelectionTimeoutMS=5000")) {
			assertThat(parameter(client, "enableTestCommands")).isEqualTo(true);
			assertThatExceptionOfType(MongoCommandException.class)
				.isThrownBy(() -> parameter(stranger, "enableTestCommands"))
				.withMessageContaining("requires authentication");
		}
	}

	@Test
	void logsAreKeptForATestThatFailsAndUsedTheServer() {
		ServerLogs logs = new ServerLogs();
		logs.watch();
		Path log = endedServer(logs).log();
		assertThat(log).isNotEmptyFile();
		Path folder = log.getParent();
		assertThat(folder).isDirectoryNotContaining((file) -> !file.equals(log));
		logs.testEnded(true);
		logs.testEnded(false);
		assertThat(log).exists();
		Folders.delete(folder.getParent(), (file) -> false);
		Path other = endedServer(logs).log();
		logs.testEnded(false);
		assertThat(other.getParent().getParent()).doesNotExist();
	}

	@Test
	void aServerThatDoesNotStartSaysWhy() {
		Throwable thrown = catchThrowable(
				() -> RealMongo.builder(this.binary).parameter("noSuchParameter", "1").start());
		assertThat(thrown).isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("see the logs in ")
			.rootCause()
			.hasMessageContaining("noSuchParameter");
		Folders.delete(Path.of(thrown.getMessage().replaceFirst(".* in ", "")), (file) -> false);
	}

	@Test
	void aMemberStartsAgainWithItsDataAndAnotherEnvironment() throws IOException {
		AtomicInteger starts = new AtomicInteger();
		try (RealMongo set = RealMongo.builder(this.binary)
			.replicaSet(1)
			.environment((member) -> Map.of("START", "no " + starts.incrementAndGet()))
			.start(); MongoClient client = MongoClients.create(set.connectionString())) {
			collection(client).insertOne(new Document("_id", 1));
			RealMember member = set.primary();
			member.kill();
			assertThat(member.isRunning()).isFalse();
			set.heal();
			assertThat(collection(client).countDocuments()).isOne();
			assertThat(Files.readString(Path.of("/proc/" + member.pid() + "/environ"))).contains("START=no 2");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aMemberIsCutOffFromTheOthersButNotFromItsClients(boolean machines) {
		RealMongo.Builder builder = RealMongo.builder(this.binary).replicaSet(3);
		try (RealMongo set = ((machines) ? builder.machines() : builder.separable()).start();
				MongoClient client = MongoClients.create(set.connectionString())) {
			collection(client).insertOne(new Document("_id", 1));
			RealMember old = set.primary();
			try (MongoClient beside = MongoClients.create(set.connectionString(old))) {
				old.isolate();
				collection(beside).withWriteConcern(WriteConcern.W1).insertOne(new Document("_id", 2));
				set.primaryOtherThan(old);
				await().atMost(Duration.ofSeconds(30)).until(() -> !old.isPrimary());
				collection(client).insertOne(new Document("_id", 3));
				set.heal();
			}
			assertThat(collection(client).find().map((document) -> document.get("_id")).into(new ArrayList<>()))
				.as("one was written by the old primary alone")
				.containsExactlyInAnyOrder(1, 3);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aMemberWhoseMachineIsGoneIsReachedByNoOneUntilItIsBack(boolean machines) {
		RealMongo.Builder builder = RealMongo.builder(this.binary).replicaSet(3);
		try (RealMongo set = ((machines) ? builder.machines() : builder.separable()).start()) {
			RealMember gone = set.primary();
			gone.vanish();
			try (MongoClient client = MongoClients
				.create(set.connectionString(gone) + "&serverSelectionTimeoutMS=500")) {
				assertThatExceptionOfType(MongoTimeoutException.class)
					.isThrownBy(() -> collection(client).countDocuments());
			}
			set.primaryOtherThan(gone);
			set.heal();
			try (MongoClient client = MongoClients.create(set.connectionString(gone))) {
				assertThat(collection(client).countDocuments()).isZero();
			}
		}
	}

	@Test
	void anotherIsElectedWhenThePrimaryIsFrozenOrKilled() {
		try (RealMongo set = RealMongo.builder(this.binary).replicaSet(3).start();
				MongoClient client = MongoClients.create(set.connectionString())) {
			RealMember frozen = set.primary();
			frozen.freeze();
			RealMember successor = set.primaryOtherThan(frozen);
			successor.kill();
			// One of three that runs elects nobody
			set.heal();
			assertThat(frozen.isRunning() && successor.isRunning()).isTrue();
			set.primary().kill();
			assertThat(set.primary().isRunning()).isTrue();
			collection(client).insertOne(new Document());
			assertThatIllegalStateException().isThrownBy(frozen::isolate).withMessageContaining("separable()");
		}
	}

	@Test
	void nothingOutlivesAJvmThatIsKilled() throws IOException {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Victim.class.getName(), this.binary.path().toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try (BufferedReader output = jvm.inputReader()) {
			long pid = Long.parseLong(output.readLine());
			Path log = Path.of(output.readLine());
			assertThat(ProcessHandle.of(pid)).isPresent();
			assertThat(log.resolveSibling("data")).isDirectory();
			jvm.destroyForcibly();
			await().atMost(Duration.ofSeconds(30)).until(() -> ProcessHandle.of(pid).isEmpty());
			await().atMost(Duration.ofSeconds(30)).until(() -> Files.notExists(log.resolveSibling("data")));
			Folders.delete(log.getParent().getParent(), (file) -> false);
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	@Test
	void aSignalToAllProcessesOfATerminalLeavesNoServer() {
		RealMongo server = RealMongo.builder(this.binary).logs(new ServerLogs()).start();
		ProcessHandle process = ProcessHandle.of(server.members().get(0).pid()).orElseThrow();
		try (server) {
			process.parent().orElseThrow().destroy();
			server.members().get(0).freeze();
			server.members().get(0).thaw();
		}
		assertThat(process.isAlive()).isFalse();
	}

	@Test
	void anotherServerOnItsPortIsNotTakenForIt(@TempDir Path folder) {
		try (RealMongo other = RealMongo.builder(this.binary).start()) {
			int taken = Integer.parseInt(other.members().get(0).address().replaceFirst(".*:", ""));
			MongodProcess process = MongodProcess.start(List.of(this.binary.path().toString(), "--nounixsocket"),
					Map.of(), "127.0.0.1", taken, folder.resolve("data"), folder.resolve("mongod.log"));
			try {
				assertThat(process.awaitAnswer()).isFalse();
			}
			finally {
				process.kill();
			}
		}
	}

	private RealMember endedServer(ServerLogs logs) {
		try (RealMongo server = RealMongo.builder(this.binary).logs(logs).start()) {
			return server.members().get(0);
		}
	}

	private static MongoCollection<Document> collection(MongoClient client) {
		return client.getDatabase("test").getCollection("real").withWriteConcern(WriteConcern.MAJORITY);
	}

	private static Object parameter(MongoClient client, String name) {
		return client.getDatabase("admin").runCommand(new Document("getParameter", 1).append(name, 1)).get(name);
	}

	/**
	 * Starts a server and waits to be killed.
	 */
	public static final class Victim {

		private Victim() {
		}

		public static void main(String[] args) throws IOException {
			RealMember member = RealMongo.builder(MongodBinary.at(Path.of(args[0])).orElseThrow())
				.start()
				.members()
				.get(0);
			System.out.println(member.pid());
			System.out.println(member.log());
			System.in.read();
		}

	}

}
