package io.mongolock.test.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The server of a suite in a container, with Testcontainers as it is and a Docker that
 * only answers. In a JVM of its own, as Testcontainers reads the environment once.
 */
@Tag("process")
class ContainerTests {

	@TempDir
	private Path home;

	@Test
	void theNamedImageIsStartedAsAReplicaSetAndItsAddressIsTheServerOfTheSuite() throws Exception {
		try (EmbeddedMongo mongo = EmbeddedMongo.builder().replicaSet().start();
				FakeDocker docker = FakeDocker.start(port(mongo))) {
			List<String> said = suite(Map.of("DOCKER_HOST", docker.host(), Docker.NAME, "mongo:8.0"));
			assertThat(said).contains("shared: true",
					"Server of the tests: a container of mongo:8.0, as MONGO_LOCK_TEST_IMAGE names it");
			assertThat(docker.requests()).filteredOn((request) -> request.startsWith("POST /containers/create"))
				.singleElement()
				.asString()
				.contains("\"Image\":\"mongo:8.0\"", "\"--replSet\"");
			assertThat(docker.requests()).filteredOn((request) -> request.startsWith("POST /containers/one/exec"))
				.hasSize(2)
				.first()
				.asString()
				.contains("rs.initiate()");
			String uri = "mongodb://127.0.0.1:" + port(mongo) + "/?directConnection=true";
			assertThat(said).contains("uri: " + uri);
			try (MongoClient client = MongoClients.create(uri)) {
				assertThat(client.getDatabase("admin").runCommand(new Document("ping", 1))).containsKey("ok");
			}
		}
	}

	@Test
	void withoutANameTheContainerIsOfARecordedReleaseWhereDockerAnswers() throws Exception {
		try (EmbeddedMongo mongo = EmbeddedMongo.builder().replicaSet().start();
				FakeDocker docker = FakeDocker.start(port(mongo))) {
			assertThat(suite(Map.of("DOCKER_HOST", docker.host()))).contains(
					"Server of the tests: a container of mongo:5.0.7, as MONGO_LOCK_TEST_URI is not set, there is no "
							+ "mongod and Docker answers");
		}
	}

	private static int port(EmbeddedMongo mongo) {
		return Integer.parseInt(new ConnectionString(mongo.connectionString()).getHosts().get(0).split(":")[1]);
	}

	private List<String> suite(Map<String, String> environment) throws IOException, InterruptedException {
		Path output = this.home.resolve("output");
		// Nothing that Testcontainers keeps there of this machine
		ProcessBuilder jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Duser.home=" + this.home, "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
				SuiteServerProgram.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile());
		jvm.environment()
			.keySet()
			.removeIf((name) -> name.startsWith("MONGO_LOCK_") || name.startsWith("TESTCONTAINERS_")
					|| name.startsWith("DOCKER_"));
		jvm.environment().put("PATH", this.home.toString());
		jvm.environment().put("TESTCONTAINERS_RYUK_DISABLED", "true");
		jvm.environment().putAll(environment);
		int status = jvm.start().waitFor();
		String said = Files.readString(output, StandardCharsets.UTF_8);
		assertThat(status).as(said).isZero();
		return said.lines().toList();
	}

}
