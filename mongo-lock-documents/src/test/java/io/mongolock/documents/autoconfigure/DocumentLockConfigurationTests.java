package io.mongolock.documents.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoManagedTypes;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.LockEndpointAutoConfiguration;
import io.mongolock.autoconfigure.LockHealthAutoConfiguration;
import io.mongolock.autoconfigure.LockOperatorsAutoConfigurationTests.FailingStore;
import io.mongolock.client.LockCommitListener;
import io.mongolock.data.Sequence;
import io.mongolock.documents.DocumentLockFactory;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.DocumentTransactions;
import io.mongolock.documents.ForeignTransactionManager;
import io.mongolock.documents.LockGuarded;
import io.mongolock.documents.LockedDocument;
import io.mongolock.health.LockHealthIndicator;
import io.mongolock.spi.DocumentLocking;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DocumentLockOperations} in an application.
 */
class DocumentLockConfigurationTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final ApplicationContextRunner bare = DocumentContexts.bare();

	private final ApplicationContextRunner runner = DocumentContexts.on(this.server);

	@ParameterizedTest
	@CsvSource({ "true", "false" })
	void documentsAreLockedWithAndWithoutOtherLocks(boolean enabled) {
		this.runner.withPropertyValues("mongo-lock.enabled=" + enabled).run((context) -> {
			assertThat(context).hasSingleBean(LockOperations.class);
			context.getBean(MongoTemplate.class).save(new Page("a", "text", null));
			DocumentLockOperations documents = context.getBean(DocumentLockOperations.class);
			try (LockedDocument<Page> locked = documents.lock(Page.class, "a")) {
				assertThat(locked.save(locked.entity().with("saved")).text()).isEqualTo("saved");
			}
		});
	}

	@Test
	void anotherMayRunMethodsUnderLocksOfDocuments() {
		DocumentLocking another = Mockito.mock();
		this.runner.withBean(DocumentLocking.class, () -> another)
			.run((context) -> assertThat(context.getBean(DocumentLocking.class)).isSameAs(another));
	}

	@Test
	void theOwnerOfLocksMayNeedABeanWithLockedMethods() {
		this.runner.withUserConfiguration(OwnerConfiguration.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void theModuleIsFoundBySpringBoot() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
			.contains(MongoLockDocumentsAutoConfiguration.class.getName());
	}

	@Test
	void settingsOfTheCollectionApply() {
		this.runner
			.withPropertyValues("mongo-lock.locks.pages.ttl=30m", "mongo-lock.wait-timeout=0s",
					"mongo-lock.document-locks.field=editor")
			.run((context) -> {
				MongoTemplate template = context.getBean(MongoTemplate.class);
				template.save(new Page("a", "text", null));
				DocumentLockOperations documents = context.getBean(DocumentLockOperations.class);
				try (LockedDocument<Page> locked = documents.lock(Page.class, "a")) {
					assertThat(locked.handle().remaining()).isGreaterThan(Duration.ofMinutes(20));
					assertThat(template.findById("a", org.bson.Document.class, "pages")).containsKey("editor")
						.doesNotContainKey("lock");
					CompletableFuture
						.runAsync(() -> assertThatExceptionOfType(LockUnavailableException.class)
							.isThrownBy(() -> documents.lock(Page.class, "a")))
						.join();
				}
			});
	}

	@Test
	void aLockThatIsLeftEndsWithTheApplicationAfterItsMargin() {
		this.runner.withPropertyValues("mongo-lock.ttl=30m").run((context) -> {
			context.getBean(MongoTemplate.class).save(new Page("a", "text", null));
			context.getBean(DocumentLockOperations.class).lock(Page.class, "a");
		});
		this.runner.withPropertyValues("mongo-lock.wait-timeout=1m")
			.run((context) -> context.getBean(DocumentLockOperations.class).lock(Page.class, "a").close());
	}

	@Test
	void theHealthCheckProbesTheLockCollectionAfterWritesOfDocuments() {
		this.runner.withConfiguration(AutoConfigurations.of(LockHealthAutoConfiguration.class))
			.withBean(FailingStore.class)
			.run((context) -> {
				context.getBean(MongoTemplate.class).save(new Page("a", "text", null));
				try (LockedDocument<Page> locked = context.getBean(DocumentLockOperations.class)
					.lock(Page.class, "a")) {
					context.getBean(LockHealthIndicator.class).health();
					assertThat(locked.handle().isHeld()).isTrue();
				}
				assertThat(context.getBean(FailingStore.class).probes).hasValue(1);
			});
	}

	@Test
	void aSecondTemplateIsABean() {
		this.runner.withUserConfiguration(TwoDatabases.class).run((context) -> {
			DocumentLockOperations documents = context.getBean("documents", DocumentLockOperations.class);
			DocumentLockOperations archived = context.getBean("archived", DocumentLockOperations.class);
			context.getBean("mongoTemplate", MongoTemplate.class).insert(new Page("a", "text", null));
			context.getBean("archive", MongoTemplate.class).insert(new Page("a", "archived", null));
			LockedDocument<Page> here = documents.lock(Page.class, "a");
			LockedDocument<Page> there = archived.lock(Page.class, "a");
			assertThat(here.entity().text()).isEqualTo("text");
			assertThat(there.entity().text()).isEqualTo("archived");
			assertThat(there.save(there.entity().with("saved")).text()).isEqualTo("saved");
			assertThat(documents.find(Page.class, "a")).isPresent();
			assertThat(archived.find(Page.class, "a")).isEmpty();
			archived.lock(Page.class, "a");
		});
		this.runner.withUserConfiguration(TwoDatabases.class)
			.withPropertyValues("mongo-lock.wait-timeout=1m")
			.run((context) -> {
				// Both ended with the application before, after their margins
				context.getBean(DocumentLockOperations.class).lock(Page.class, "a").close();
				context.getBean("archived", DocumentLockOperations.class).lock(Page.class, "a").close();
			});
	}

	@Test
	void theEndpointShowsWhoEditsAndReleasesByForce() {
		this.runner.withConfiguration(AutoConfigurations.of(LockEndpointAutoConfiguration.class))
			.withUserConfiguration(TwoDatabases.class)
			.withPropertyValues("management.endpoints.web.exposure.include=mongolocks",
					"management.endpoint.mongolocks.access=UNRESTRICTED")
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				context.getBean("mongoTemplate", MongoTemplate.class).insert(new Page("a", "free", null));
				MongoTemplate archive = context.getBean("archive", MongoTemplate.class);
				Stream.of("a", "b", "c").forEach((id) -> archive.insert(new Page(id, "locked", null)));
				assertThat(keys(endpoint, "document~pages:", null)).as("nobody has locked anything yet").isEmpty();
				DocumentLockOperations archived = context.getBean("archived", DocumentLockOperations.class);
				LockedDocument<Page> locked = archived.lock(Page.class, "a", LockSettings.builder().as("Ann").build());
				archived.lock(Page.class, "b");
				assertThat(keys(endpoint, null, null)).as("locks").isEmpty();
				assertThat(keys(endpoint, "document~pages:", null)).containsExactly("document~pages:a",
						"document~pages:b");
				assertThat(keys(endpoint, "document~pages:", "document~pages:a")).containsExactly("document~pages:b");
				assertThat(keys(endpoint, "document~", null)).hasSize(2);
				String[] key = { "document~pages:a" };
				assertThat(endpoint.lock(key).key()).isEqualTo("document~pages:a");
				assertThat(endpoint.lock(key).holders().get(0).owner()).startsWith("Ann at ");
				assertThat(endpoint.requestRelease(SecurityContext.NONE, key, "lunch").asked()).isOne();
				assertThat(endpoint.release(SecurityContext.NONE, key, "test", null).released()).isOne();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(locked.entity()));
				assertThat(endpoint.lock(new String[] { "document~pages:none" })).isNull();
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> endpoint.lock(new String[] { "document~nonsense" }));
			});
	}

	private static List<String> keys(LocksEndpoint endpoint, @Nullable String prefix, @Nullable String after) {
		return endpoint.locks(prefix, null, null, after, null).locks().stream().map(LockDescriptor::key).toList();
	}

	@Test
	void callbacksOfTheApplicationSeeWhatIsSaved() {
		this.runner.withUserConfiguration(Callbacks.class).run((context) -> {
			context.getBean(MongoTemplate.class).save(new Page("a", "text", null));
			DocumentLockOperations documents = context.getBean(DocumentLockOperations.class);
			LockedDocument<Page> locked = documents.lock(Page.class, "a");
			assertThat(locked.save(locked.entity().with("saved")).text()).isEqualTo("saved!");
		});
	}

	@Test
	void aMethodThatLocksWhatCannotBeLockedIsRefusedAtTheStart() {
		this.runner.withBean(DoorKeeper.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("open")
				.hasMessageContaining("Door.class, but documents of that type cannot be locked"));
		this.runner.withBean(DoorKeeper.class)
			.withPropertyValues("mongo-lock.document-locks.field=editor")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void plainSavesAreLookedAt() {
		this.runner.run((context) -> {
			MongoTemplate template = context.getBean(MongoTemplate.class);
			template.save(new Page("a", "text", null));
			LockedDocument<Page> locked = context.getBean(DocumentLockOperations.class).lock(Page.class, "a");
			assertThatIllegalStateException()
				.isThrownBy(() -> template.save(template.findById("a", Page.class).with("plain")));
			locked.close();
			template.save(template.findById("a", Page.class).with("plain"));
		});
	}

	@Test
	void whenAPlainSaveIsRefusedThenItTakesNoNumber() {
		this.runner.run((context) -> {
			MongoTemplate template = context.getBean(MongoTemplate.class);
			Bill bill = template.save(new Bill("a", 7, null));
			LockedDocument<Bill> locked = context.getBean(DocumentLockOperations.class).lock(Bill.class, "a");
			assertThatIllegalStateException().isThrownBy(() -> template.save(new Bill("a", 0, bill.version())));
			locked.close();
			assertThat(template.save(new Bill("b", 0, null)).number()).isOne();
		});
	}

	@Test
	void aGuardedTypeWithoutAVersionIsRefusedAtTheStart() {
		this.runner.withBean(MongoManagedTypes.class, () -> MongoManagedTypes.from(Unversioned.class))
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Unversioned is @LockGuarded and has no @Version"));
	}

	@Test
	void aTransactionUnderALockThatIsGoneIsNotCommitted() {
		this.runner.withBean(ForeignTransactionManager.class).run((context) -> {
			TransactionTemplate transactions = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			context.getBean(MongoTemplate.class).save(new Page("a", "text", null));
			DocumentLockOperations documents = context.getBean(DocumentLockOperations.class);
			LockedDocument<Page> locked = documents.lock(Page.class, "a");
			transactions.executeWithoutResult((status) -> assertThat(status.isNewTransaction()).isTrue());
			documents.breakLock(Page.class, "a");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(locked.handle()::renew);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transactions.executeWithoutResult((status) -> status.flush()));
		});
	}

	@Test
	void transactionManagersAskBeforeTheyCommit() {
		this.runner.withBean(ForeignTransactionManager.class)
			.run((context) -> assertThat(
					context.getBean(ForeignTransactionManager.class).getTransactionExecutionListeners())
				.hasExactlyElementsOfTypes(LockCommitListener.class, DocumentTransactions.class));
	}

	@Test
	void whenSpringBootAddsTheListenerToAManagerThenItIsNotAddedAgain() {
		this.runner.withConfiguration(AutoConfigurations.of(TransactionManagerCustomizationAutoConfiguration.class))
			.withUserConfiguration(CustomizedManagerConfiguration.class)
			.run((context) -> assertThat(
					context.getBean(ForeignTransactionManager.class).getTransactionExecutionListeners())
				.hasOnlyElementsOfTypes(LockCommitListener.class, DocumentTransactions.class)
				.doesNotHaveDuplicates());
	}

	@ParameterizedTest
	@CsvSource({ "'', Locks cannot be kept in the field", "a.b, for example 'lock'", "$lock, a dot or a dollar",
			"_id, of the document itself", "fence, and names with a dot" })
	void aFieldThatNoDocumentHasIsRefusedAtTheStart(String field, String reason) {
		this.runner.withPropertyValues("mongo-lock.document-locks.field=" + field)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
					assertThat(ex.getName()).isEqualTo("mongo-lock.document-locks.field");
					assertThat(ex.getValue()).isEqualTo(field);
					assertThat(ex.getReason()).contains(reason);
				}));
	}

	@Test
	void nobodyNeedsMongoDbWhoDoesNotAsk() {
		this.bare.withPropertyValues("mongo-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(DocumentLockOperations.class));
		this.bare.withPropertyValues("mongo-lock.enabled=false")
			.withClassLoader(new FilteredClassLoader("com.mongodb.client"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DocumentLockOperations.class));
	}

	@Test
	void anApplicationThatLeavesOutTheLocksLeavesThoseOfDocumentsOutToo() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(MongoLockDocumentsAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DocumentLockOperations.class));
	}

	@org.springframework.data.mongodb.core.mapping.Document("pages")
	record Page(@Id String id, @Field("t") String text, @Version @Nullable Long version) {

		Page with(String text) {
			return new Page(this.id, text, this.version);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CustomizedManagerConfiguration {

		@Bean
		ForeignTransactionManager manager(TransactionManagerCustomizers customizers) {
			ForeignTransactionManager manager = new ForeignTransactionManager();
			customizers.customize(manager);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		@Primary
		MongoTemplate mongoTemplate(MongoClient client) {
			return new MongoTemplate(client, "app");
		}

		@Bean
		MongoTemplate archive(MongoClient client) {
			return new MongoTemplate(client, "archive");
		}

		@Bean
		@Primary
		DocumentLockOperations documents(DocumentLockFactory locks, MongoTemplate mongoTemplate) {
			return locks.of(mongoTemplate);
		}

		@Bean
		DocumentLockOperations archived(DocumentLockFactory locks, @Qualifier("archive") MongoTemplate archive) {
			return locks.of(archive);
		}

	}

	record Bill(@Id String id, @Sequence("bill") long number, @Version @Nullable Long version) {

	}

	@LockGuarded
	record Unversioned(@Id String id) {

	}

	record Door(@Id String id, String lock, @Version @Nullable Long version) {

	}

	static class DoorKeeper {

		@DistributedLock(document = Door.class, key = "#id")
		void open(String id) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Callbacks {

		@Bean
		@Order(1)
		BeforeConvertCallback<Page> exclaim() {
			List<String> seen = new ArrayList<>();
			return (page, collection) -> {
				seen.add(page.text());
				return (seen.size() > 1) ? page.with(page.text() + "!") : page;
			};
		}

	}

	static class Nightly {

		@DistributedLock("nightly")
		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnerConfiguration {

		@Bean
		Nightly nightly() {
			return new Nightly();
		}

		@Bean
		LockOwner owner(Nightly nightly) {
			return new LockOwner(nightly.getClass().getSimpleName(), "1", "host", 1, "main");
		}

	}

}
