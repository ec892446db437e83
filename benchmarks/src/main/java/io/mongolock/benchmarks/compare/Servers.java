package io.mongolock.benchmarks.compare;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.benchmarks.MeasuredServer;
import io.mongolock.test.embedded.EmbeddedMongoMain;
import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.RealMongo;

/**
 * The servers that are measured on, each a process: MongoDB as named by
 * {@code MONGO_LOCK_TEST_URI}, a replica set of one member where there is a
 * {@code mongod}, or embedded, and Redis if it is installed.
 */
final class Servers implements AutoCloseable {

	private final @Nullable RealMongo real;

	private final @Nullable Process embedded;

	private final String mongo;

	private final @Nullable Process redis;

	private final int redisPort;

	private final List<String> notes = new ArrayList<>();

	Servers() throws IOException {
		String given = GivenServer.uri().orElse(null);
		this.real = (given != null) ? null
				: MeasuredServer.binary().map((binary) -> RealMongo.builder(binary).replicaSet(1).start()).orElse(null);
		String known = (this.real != null) ? this.real.connectionString() : given;
		int mongoPort = freePort();
		this.embedded = (known != null) ? null : startEmbedded(mongoPort);
		this.mongo = (known != null) ? known : "mongodb://127.0.0.1:" + mongoPort;
		this.redisPort = freePort();
		this.redis = startRedis();
		this.notes.add("JdbcLockRegistry of Spring Integration on PostgreSQL is left out: the artifact"
				+ " spring-integration-jdbc 7.1 could not be downloaded when this was written.");
	}

	String uri(Kind kind) {
		return (kind.onRedis()) ? "redis://127.0.0.1:" + this.redisPort : this.mongo;
	}

	boolean has(Kind kind) {
		return !kind.onRedis() || this.redis != null;
	}

	List<String> notes() {
		return this.notes;
	}

	/**
	 * How long the server has used a processor.
	 * @return milliseconds, or NaN if it was not started here
	 */
	double cpuMillis(Kind kind) {
		return process(kind)
			.map((process) -> process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L).doubleValue())
			.orElse(Double.NaN);
	}

	private Optional<ProcessHandle> process(Kind kind) {
		if (!kind.onRedis() && this.real != null) {
			return ProcessHandle.of(this.real.members().get(0).pid());
		}
		return Optional.ofNullable((kind.onRedis()) ? this.redis : this.embedded).map(Process::toHandle);
	}

	/**
	 * What MongoDB says it is.
	 */
	String mongo() {
		try (MongoClient client = MongoClients.create(this.mongo)) {
			Document build = client.getDatabase("admin").runCommand(new Document("buildInfo", 1));
			Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
			return ((this.embedded != null)
					? "the embedded server (mongo-java-server), in a JVM of its own, whose majority commit costs nothing: as "
							+ build.getString("version")
					: "MongoDB " + build.getString("version"))
					+ ((hello.containsKey("setName"))
							? ", a replica set of " + hello.getList("hosts", String.class).size()
							: ", standalone or sharded");
		}
	}

	private static Process startEmbedded(int port) throws IOException {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		return start(port, java, "-cp", System.getProperty("java.class.path"), EmbeddedMongoMain.class.getName(),
				"--replica-set", "--port=" + port);
	}

	private @Nullable Process startRedis() {
		try {
			return start(this.redisPort, "redis-server", "--port", String.valueOf(this.redisPort), "--save", "",
					"--bind", "127.0.0.1");
		}
		catch (IOException ex) {
			this.notes.add("Redisson is left out: no redis-server is installed (" + ex.getMessage() + ").");
			return null;
		}
	}

	private static Process start(int port, String... command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		while (process.isAlive()) {
			try {
				new Socket("127.0.0.1", port).close();
				return process;
			}
			catch (IOException ex) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
			}
		}
		throw new IOException(command[0] + " ended with status " + process.exitValue());
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	@Override
	public void close() {
		if (this.redis != null) {
			this.redis.destroy();
		}
		if (this.embedded != null) {
			this.embedded.destroy();
		}
		if (this.real != null) {
			this.real.close();
		}
	}

}
