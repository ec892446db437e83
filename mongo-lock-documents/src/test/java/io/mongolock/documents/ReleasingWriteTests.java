package io.mongolock.documents;

import java.util.Map;

import com.mongodb.MongoClientSettings;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.data.mongodb.core.convert.NoOpDbRefResolver;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

import io.mongolock.documents.EntityWriter.Written;
import io.mongolock.store.LeaseId;
import io.mongolock.store.mongo.RecordedCommands;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReleasingWrite}, which compare it with what a real server proved.
 */
class ReleasingWriteTests {

	private static final Map<String, BsonDocument> RECORDED = RecordedCommands.read();

	private static final LeaseProof PROOF = new LeaseProof(new LeaseId("locks:k", "tttttttttttttttttttttttttttttttt"),
			new byte[0], 7, 4, 0);

	private final MongoTemplate template = Mockito.mock();

	private final EntityWriter writer = new EntityWriter(this.template, Mockito.mock(EntityLifecycle.class), "locks",
			"lock");

	@BeforeEach
	void map() {
		BDDMockito.given(this.template.getConverter())
			.willReturn(new MappingMongoConverter(NoOpDbRefResolver.INSTANCE, new MongoMappingContext()));
	}

	@ParameterizedTest
	@CsvSource({ "save and release, false, 4,", "'save and release, of another version', false, 3,",
			"'save and release, the entity has the fence', false, 4, 12", "save and keep, true, 4,",
			"'save and keep, of another version', true, 3," })
	void aSaveIsTheStatementThatWasProvedOnARealServer(String name, boolean keep, int version,
			@Nullable Integer fence) {
		Document entity = new Document("_id", "k").append("title", "$new").append("version", version + 1);
		if (fence != null) {
			entity.append("fence", fence);
		}
		ReleasingWrite write = ReleasingWrite.save(PROOF, keep, this.writer,
				new Written<>(new Entity(), entity, new Document("version", version), () -> {
				}));
		BsonDocument recorded = RECORDED.get("document lock: " + name).getArray("updates").get(0).asDocument();
		assertThat(normal("q", write.filter())).isEqualTo(normal("q", recorded.get("q")));
		assertThat(normal("u", write.update())).isEqualTo(normal("u", recorded.get("u")));
		assertThat(write.releases()).isNotEqualTo(keep);
	}

	@ParameterizedTest
	@CsvSource({ "delete,4", "'delete, without a version',", "'delete, of another version',3" })
	void aDeletionIsTheStatementThatWasProvedOnARealServer(String name, @Nullable Integer version) {
		ReleasingWrite write = ReleasingWrite.delete(PROOF, "lock",
				(version != null) ? new Document("version", version) : new Document());
		BsonDocument recorded = RECORDED.get("document lock: " + name).getArray("deletes").get(0).asDocument();
		assertThat(normal("q", write.filter())).isEqualTo(normal("q", recorded.get("q")));
		assertThat(write.update()).isNull();
	}

	private static BsonValue normal(String name, Object value) {
		BsonDocument document = new Document("command", "locks").append(name, value)
			.toBsonDocument(Document.class, MongoClientSettings.getDefaultCodecRegistry());
		return RecordedCommands.essence(document).get(name);
	}

	private record Entity() {

	}

}
