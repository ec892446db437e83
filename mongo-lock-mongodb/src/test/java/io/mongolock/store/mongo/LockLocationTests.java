package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.store.mongo.TtlIndexInitializer.Mode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockLocation}.
 */
class LockLocationTests {

	private final MongoDatabase database = Mockito.mock();

	private final MongoOperations template = Mockito.mock();

	private final MongoCollection<Document> collection = Mockito.mock(Mockito.RETURNS_SELF);

	private List<String> actions = List.of();

	private boolean replicaSet = true;

	@BeforeEach
	void answers() {
		BDDMockito.given(this.template.execute(Mockito.anyString(), Mockito.<CollectionCallback<Object>>any()))
			.willAnswer((call) -> call.<CollectionCallback<Object>>getArgument(1).doInCollection(this.collection));
		BDDMockito.given(this.template.execute(Mockito.<DbCallback<Object>>any()))
			.willAnswer((call) -> call.<DbCallback<Object>>getArgument(0).doInDB(this.database));
		BDDMockito.given(this.database.getName()).willReturn("shop");
		BDDMockito.given(this.database.withTimeout(Mockito.anyLong(), Mockito.any())).willReturn(this.database);
		BDDMockito.given(this.database.runCommand(Mockito.<Bson>any(), Mockito.<ReadPreference>any()))
			.willAnswer((call) -> call.<Document>getArgument(0).containsKey("hello") ? hello() : status());
	}

	@Test
	void missingPrivilegesAreNamedWithAllNeededOnes() {
		this.actions = List.of("find");
		assertThat(missing(Mode.CREATE, Notifications.AUTO)).hasValueSatisfying((said) -> assertThat(said)
			.startsWith("The user 'app' lacks the rights insert, update, listIndexes, changeStream, createIndex on "
					+ "shop.locks. Run in mongosh: ")
			.contains(
					"actions: [\"find\", \"insert\", \"update\", \"listIndexes\", \"changeStream\", \"createIndex\"]"));
	}

	@Test
	void aUserWhoMayNotCreateTheIndexMissesNothing() {
		this.actions = List.of("find", "insert", "update", "listIndexes", "changeStream");
		assertThat(missing(Mode.CREATE, Notifications.AUTO)).as("it may be there").isEmpty();
	}

	@Test
	void privilegesAreNeededOnlyForFeaturesInUse() {
		this.actions = List.of("find", "insert", "update");
		assertThat(missing(Mode.NONE, Notifications.OFF)).isEmpty();
		assertThat(missing(Mode.VALIDATE, Notifications.OFF)).asString().contains("lacks the rights listIndexes on");
		assertThat(missing(Mode.NONE, Notifications.AUTO)).asString().contains("lacks the rights changeStream on");
		this.replicaSet = false;
		assertThat(missing(Mode.NONE, Notifications.AUTO)).as("a server that stands alone has none").isEmpty();
	}

	@Test
	void itIsTheDatabaseThatTheTemplateHadWhenItWasMade() {
		LockLocation location = new LockLocation(this.template, "locks");
		BDDMockito.willThrow(new IllegalStateException("of another thread"))
			.given(this.template)
			.execute(Mockito.<DbCallback<Object>>any());
		assertThat(location.namespace()).isEqualTo("shop.locks");
		assertThat(location.missingPrivileges(Mode.NONE, Notifications.OFF, Duration.ofSeconds(3))).asString()
			.contains("shop.locks");
	}

	private Optional<String> missing(Mode index, Notifications notifications) {
		return new LockLocation(this.template, "locks").missingPrivileges(index, notifications, Duration.ofSeconds(3));
	}

	private Document hello() {
		return (this.replicaSet) ? new Document("setName", "rs0") : new Document();
	}

	private Document status() {
		Document privilege = new Document("resource", Document.parse("{db: 'shop', collection: 'locks'}"))
			.append("actions", this.actions);
		return new Document("authInfo",
				new Document("authenticatedUsers", List.of(Document.parse("{user: 'app', db: 'admin'}")))
					.append("authenticatedUserPrivileges", List.of(privilege)));
	}

}
