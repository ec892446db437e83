package io.mongolock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.UpdateResult;
import net.javacrumbs.shedlock.core.LockConfiguration;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockOwner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ShedLockDocuments}.
 */
class ShedLockDocumentsTests {

	private final MongoOperations template = mock();

	private final MongoCollection<Document> locks = mock();

	private final MongoCollection<Document> majority = mock();

	private final MongoCollection<Document> timed = mock();

	@Test
	void aDocumentIsTakenOnceTheMajorityHasItAndWithinTheTimeout() {
		given(this.template.execute(eq("shedLock"), any()))
			.willAnswer((call) -> call.<CollectionCallback<?>>getArgument(1).doInCollection(this.locks));
		given(this.locks.withTimeout(3_000, TimeUnit.MILLISECONDS)).willReturn(this.timed);
		given(this.timed.withWriteConcern(WriteConcern.MAJORITY)).willReturn(this.majority);
		given(this.majority.updateOne(any(Bson.class), any(Bson.class), any(UpdateOptions.class)))
			.willReturn(UpdateResult.acknowledged(1, 1L, null));
		ShedLockDocuments documents = new ShedLockDocuments(this.template, "shedLock", Duration.ofSeconds(3),
				new LockOwner("shop", "shop-1", "host", 1, "main"));
		assertThat(documents.take(new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1), Duration.ZERO)))
			.isNotNull();
	}

}
