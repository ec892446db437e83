package io.mongolock.documents;

import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

import io.mongolock.LockLostException;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DocumentLockOperations} where collection or database depend on who
 * asks.
 */
class TenantDocumentLocksTests {

	private static final AtomicReference<String> TENANT = new AtomicReference<>();

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final MongoTemplate template = new MongoTemplate(this.client, "test");

	@BeforeEach
	void insert() {
		as("b");
		this.template.insert(new Deal("d1", "of b", null));
		as("a");
		this.template.insert(new Deal("d1", "of a", null));
	}

	@Test
	void aCollectionThatDependsOnTheTenantIsThatOfTheCall() {
		try (DocumentLocksFixture here = fixture(this.template)) {
			LockedDocument<Deal> ofA = here.documents().lock(Deal.class, "d1");
			as("b");
			assertThat(here.documents().find(Deal.class, "d1")).isEmpty();
			assertThat(here.documents().list(Deal.class)).isEmpty();
			assertThat(here.documents().breakLock(Deal.class, "d1")).isEmpty();
			LockedDocument<Deal> ofB = here.documents().lock(Deal.class, "d1");
			assertThat(ofB.entity()).extracting(Deal::text).isEqualTo("of b");
			assertThat(ofA.handle().key()).isEqualTo("a_deal:d1");
			assertThat(ofB.handle().key()).isEqualTo("b_deal:d1");
			ofB.save(new Deal("d1", "saved by b", ofB.entity().version()));
			ofA.save(new Deal("d1", "saved by a", ofA.entity().version()));
			assertThat(this.template.findById("d1", Deal.class)).extracting(Deal::text).isEqualTo("saved by b");
			as("a");
			assertThat(this.template.findById("d1", Deal.class)).extracting(Deal::text).isEqualTo("saved by a");
		}
	}

	@Test
	void aTicketOfAnotherTenantIsRefused() {
		try (DocumentLocksFixture here = fixture(this.template)) {
			LockTicket ticket = here.documents().lock(Deal.class, "d1").ticket();
			as("b");
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> here.documents().resume(Deal.class, "d1", ticket))
				.withMessageNotContaining("a_deal");
			as("a");
			assertThat(here.documents().resume(Deal.class, "d1", ticket).entity()).extracting(Deal::text)
				.isEqualTo("of a");
		}
	}

	@Test
	void whenEachCallMayHaveAnotherDatabaseThenOneForAnotherIsRefused() {
		MongoTemplate template = new MongoTemplate(new SimpleMongoClientDatabaseFactory(this.client, "test") {

			@Override
			public MongoDatabase getMongoDatabase() {
				return getMongoDatabase(TENANT.get());
			}

		});
		template.insert(new Deal("d1", "in database a", null));
		try (DocumentLocksFixture here = fixture(template)) {
			LockTicket ticket = here.documents().lock(Deal.class, "d1").ticket();
			LockedDocument<Deal> resumed = here.documents().resume(Deal.class, "d1", ticket);
			as("b");
			assertThatIllegalStateException().isThrownBy(() -> resumed.save(resumed.entity()));
			assertThatIllegalStateException().isThrownBy(() -> here.documents().lock(Deal.class, "d1"))
				.withMessageContaining("database 'b'")
				.withMessageContaining("of database 'a'");
			assertThatIllegalStateException().isThrownBy(() -> here.documents().resume(Deal.class, "d1", ticket));
			assertThatIllegalStateException().isThrownBy(() -> here.documents().list(Deal.class));
			assertThatIllegalStateException().isThrownBy(() -> here.documents().breakLock(Deal.class, "d1"));
		}
	}

	private static void as(String tenant) {
		TENANT.set(tenant);
	}

	private static DocumentLocksFixture fixture(MongoTemplate template) {
		return new DocumentLocksFixture("here", template, new GenericApplicationContext());
	}

	@org.springframework.data.mongodb.core.mapping.Document("#{T(io.mongolock.documents.TenantDocumentLocksTests$Names).collection()}")
	record Deal(@Id String id, String text, @Version @Nullable Long version) {

	}

	/** For expressions. */
	public static final class Names {

		private Names() {
		}

		public static String collection() {
			return TENANT.get() + "_deal";
		}

	}

}
