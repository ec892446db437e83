package io.mongolock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queries for operators find what lives and nothing else.
 */
class OperatorQueryTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	@Test
	void theQueryForHoldersFindsOnlyLocksWithARunningLease() throws IOException {
		insertEachState("holders");
		assertThat(idsFoundBy(query())).containsExactlyInAnyOrder("live", "one of two");
	}

	@Test
	void theQueryForWaitersFindsOnlyLocksWithARunningPlace() throws IOException {
		insertEachState("queue");
		assertThat(idsFoundBy(query().replace("$holders", "$queue"))).containsExactlyInAnyOrder("live", "one of two");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'text'", "7", "{a: 1}", "[7]", "['text']", "[{}]", "[{renewedAt: 'text', ttl: 1}]",
			"[{renewedAt: {$date: '2026-01-01T00:00:00Z'}, ttl: 'text'}]", "[{ttl: {a: 1}}]", "null" })
	void aDocumentThatSomebodyBrokeHidesNoOther(String broken) throws IOException {
		insertEachState("holders");
		locks().insertOne(Document.parse("{_id: 'broken', holders: " + broken + "}"));
		assertThat(idsFoundBy(query())).containsExactlyInAnyOrder("live", "one of two");
	}

	private void insertEachState(String field) {
		Document live = entry(Instant.now().plusSeconds(3600));
		Document dead = entry(Instant.now().minusSeconds(300));
		locks().insertMany(List.of(new Document("_id", "live").append(field, List.of(live)),
				new Document("_id", "one of two").append(field, List.of(dead, live)),
				new Document("_id", "dead").append(field, List.of(dead)),
				new Document("_id", "released").append(field, List.of()), new Document("_id", "never")));
	}

	private static Document entry(Instant renewedAt) {
		return new Document("token", "t").append("renewedAt", Date.from(renewedAt)).append("ttl", 30_000L);
	}

	private List<String> idsFoundBy(String filter) {
		return locks().find(Document.parse(filter)).map((found) -> found.getString("_id")).into(new ArrayList<>());
	}

	private MongoCollection<Document> locks() {
		return this.client.getDatabase("shop").getCollection("locks");
	}

	private static String query() throws IOException {
		Matcher query = Pattern.compile("```javascript\ndb\\.locks\\.find\\((.*?)\\)\n```", Pattern.DOTALL)
			.matcher(Files.readString(ROOT.resolve("docs/operating.md")));
		assertThat(query.results()).hasSize(1);
		query.reset();
		assertThat(query.find()).isTrue();
		return query.group(1);
	}

}
