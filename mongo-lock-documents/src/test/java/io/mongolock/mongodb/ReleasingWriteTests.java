package io.mongolock.mongodb;

import java.util.Map;

import com.mongodb.MongoClientSettings;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.mongodb.EntityWriter.Written;
import io.mongolock.store.LeaseId;
import io.mongolock.store.mongo.RecordedCommands;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReleasingWrite}, which compare it with what a real server proved.
 */
class ReleasingWriteTests {

	private static final Map<String, BsonDocument> RECORDED = RecordedCommands.read();

	private static final LockTicket TICKET = new LockTicket(new LeaseId("locks:k", "tttttttttttttttttttttttttttttttt"),
			new byte[0], 7, 4);

	private static final BsonDocument GRANT = BsonDocument
		.parse("{token: 'tttttttttttttttttttttttttttttttt', ttl: {$numberLong: '60000'}}");

	@ParameterizedTest
	@CsvSource({ "save of what has changed, 4", "'save of what has changed, of another version', 3",
			"save of what is gone, 4" })
	void aSaveIsTheStatementThatWasProvedOnARealServer(String name, long version) {
		BsonDocument recorded = recorded(name);
		Document change = Document.parse(recorded.getDocument("u").toJson());
		change.remove("$pull");
		ReleasingWrite write = ReleasingWrite.save(TICKET, null, "lock",
				new Written<>("entity", new Document(), new Document("version", version), () -> {
				}), change);
		assertThat(normal("q", write.filter())).isEqualTo(normal("q", recorded.get("q")));
		assertThat(normal("u", write.update())).isEqualTo(normal("u", recorded.get("u")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "save and keep | {$set: {title: \"new\", version: 5}} | 4",
			"save and keep, of another version | {$set: {title: \"new\", version: 4}} | 3" })
	void aSaveThatKeepsTheLockIsTheStatementThatWasProvedOnARealServer(String name, String change, int version) {
		ReleasingWrite write = ReleasingWrite.save(TICKET, GRANT, "lock",
				new Written<>("entity", new Document(), new Document("version", version), () -> {
				}), Document.parse(change));
		BsonDocument recorded = recorded(name);
		assertThat(normal("q", write.filter())).isEqualTo(normal("q", recorded.get("q")));
		assertThat(normal("u", write.update())).isEqualTo(normal("u", recorded.get("u")));
	}

	@ParameterizedTest
	@CsvSource({ "delete,4", "'delete, without a version',", "'delete, of another version',3" })
	void aDeletionIsTheStatementThatWasProvedOnARealServer(String name, Integer version) {
		ReleasingWrite write = ReleasingWrite.delete(TICKET, "lock",
				(version != null) ? new Document("version", version) : new Document());
		BsonDocument recorded = RECORDED.get("document lock: " + name).getArray("deletes").get(0).asDocument();
		assertThat(normal("q", write.filter())).isEqualTo(normal("q", recorded.get("q")));
		assertThat(write.update()).isNull();
	}

	private static BsonDocument recorded(String name) {
		BsonArray updates = RECORDED.get("document lock: " + name).getArray("updates");
		return updates.get(0).asDocument();
	}

	private static BsonValue normal(String name, Object value) {
		BsonDocument document = new Document("command", "locks").append(name, value)
			.toBsonDocument(Document.class, MongoClientSettings.getDefaultCodecRegistry());
		return RecordedCommands.essence(document).get(name);
	}

}
