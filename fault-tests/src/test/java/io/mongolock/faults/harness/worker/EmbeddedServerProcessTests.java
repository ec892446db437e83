package io.mongolock.faults.harness.worker;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EmbeddedServerProcess}.
 */
@Tag("process")
@Timeout(120)
class EmbeddedServerProcessTests {

	@Test
	void aServerKilledAndRestartedListensOnTheSamePortAndIsEmpty() {
		try (EmbeddedServerProcess server = EmbeddedServerProcess.start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			MongoCollection<Document> things = client.getDatabase("test").getCollection("things");
			things.insertOne(new Document("_id", 1));
			assertThat(things.countDocuments()).isOne();
			long pid = server.pid();
			server.kill();
			server.restart();
			assertThat(server.pid()).isNotEqualTo(pid);
			assertThat(things.countDocuments()).isZero();
		}
	}

	@Test
	void aServerThatDoesNotStartSaysWhy() {
		try (EmbeddedServerProcess server = EmbeddedServerProcess.start()) {
			assertThatExceptionOfType(WorkerFailedException.class)
				.isThrownBy(() -> EmbeddedServerProcess.start(server.port()))
				.withMessageContaining("has ended")
				.withMessageContaining("Address already in use");
		}
	}

}
