package io.mongolock.faults.spring;

import java.util.UUID;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Assumptions;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * The server of a test, with a database of its own: the one that
 * {@code MONGO_LOCK_TEST_URI} names, or the embedded one.
 */
final class TestServer implements AutoCloseable {

	private static final String VARIABLE = "MONGO_LOCK_TEST_URI";

	private final EmbeddedMongo embedded;

	private final String uri;

	private final String database = "spring_" + UUID.randomUUID().toString().substring(0, 8);

	private TestServer(EmbeddedMongo embedded, String uri) {
		this.embedded = embedded;
		this.uri = uri;
	}

	static TestServer start() {
		String given = given();
		return (given != null) ? new TestServer(null, given) : embedded();
	}

	static TestServer embedded() {
		EmbeddedMongo embedded = EmbeddedMongo.start();
		return new TestServer(embedded, embedded.connectionString());
	}

	/**
	 * A server with transactions; skips the test if there is none.
	 * @return the server
	 */
	static TestServer replicaSet() {
		assumeGiven("a replica set");
		TestServer server = start();
		try (MongoClient client = MongoClients.create(server.uri)) {
			Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
			Assumptions.assumeTrue(hello.containsKey("setName"),
					VARIABLE + " names no replica set, which transactions of MongoDB need");
		}
		return server;
	}

	static void assumeGiven(String what) {
		Assumptions.assumeTrue(given() != null,
				"needs " + what + ": set " + VARIABLE + "=mongodb://… as environment variable or system property");
	}

	private static String given() {
		String given = System.getProperty(VARIABLE, System.getenv(VARIABLE));
		return (given != null && !given.isBlank()) ? given : null;
	}

	String label() {
		return (this.embedded != null) ? "embedded" : "real server";
	}

	String uri() {
		return this.uri;
	}

	String database() {
		return this.database;
	}

	int port() {
		return this.embedded.port();
	}

	/**
	 * Start an application of Spring Boot on this server.
	 * @param source its configuration
	 * @param properties its properties
	 * @return its context
	 */
	ConfigurableApplicationContext run(Class<?> source, String... properties) {
		return runAt(this.uri, source, properties);
	}

	ConfigurableApplicationContext runAt(String address, Class<?> source, String... properties) {
		return new SpringApplicationBuilder(source).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties("spring.mongodb.uri=" + address, "spring.mongodb.database=" + this.database)
			.properties(properties)
			.run();
	}

	OtherClient otherClient() {
		return new OtherClient(this.uri, this.database);
	}

	@Override
	public void close() {
		if (this.embedded != null) {
			this.embedded.close();
			return;
		}
		try (MongoClient client = MongoClients.create(this.uri)) {
			client.getDatabase(this.database).drop();
		}
	}

}
