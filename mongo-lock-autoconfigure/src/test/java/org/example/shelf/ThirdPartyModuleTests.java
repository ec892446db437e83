package org.example.shelf;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;

import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;
import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.LockEndpointAutoConfiguration;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.spi.DocumentLocking;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A module of somebody else, with a store, settings and methods: all that it needs of
 * this library is {@code io.mongolock.spi} and a {@code LockStore}, here one on another
 * collection. No store is written here: {@code mongo-lock-test} has one.
 */
@ExtendWith(OutputCaptureExtension.class)
class ThirdPartyModuleTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
				MongoLockAutoConfiguration.class))
		.withUserConfiguration(ShelfModule.class)
		.withPropertyValues("spring.mongodb.uri=" + this.server.connectionString() + "/app",
				"mongo-lock.wait-timeout=0s", "mongo-lock.shutdown-timeout=1s",
				"management.endpoints.web.exposure.include=mongolocks",
				"management.endpoint.mongolocks.access=UNRESTRICTED");

	@Test
	void itsLocksHaveTheSettingsOfTheApplicationAndEndWithIt() {
		this.runner.withPropertyValues("mongo-lock.locks.shelf.ttl=30m").run((context) -> {
			StoreClient client = context.getBean(StoreClient.class);
			LockHandle left = client.locks().acquire(LockRequest.builder("a").name("shelf").build());
			assertThat(left.remaining()).isGreaterThan(Duration.ofMinutes(20));
			CompletableFuture
				.runAsync(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> client.locks().acquire(LockRequest.of("a"))))
				.join();
			assertThat(client.waiting().applyAsInt("a")).isZero();
		});
		// Cut off, it stays taken for 6 s
		LockRequest next = LockRequest.builder("a").waitTimeout(Duration.ofMinutes(1)).build();
		this.runner.run((context) -> context.getBean(StoreClient.class).locks().acquire(next).close());
	}

	@Test
	void aLockThatIsBrokenIsPublished() {
		LockListener listener = Mockito.mock();
		this.runner.withBean(LockListener.class, () -> listener).run((context) -> {
			StoreClient client = context.getBean(StoreClient.class);
			client.locks().acquire(LockRequest.of("a"));
			LockHolder holder = client.store().find("a", Duration.ofSeconds(5)).orElseThrow().liveHolders().get(0);
			client.broken().accept("a", holder);
			BDDMockito.then(listener).should(Mockito.timeout(60_000)).onBroken("a", holder);
		});
	}

	@Test
	void itsLocksAreNotHandedOverWithinTheJvm() {
		this.runner.withPropertyValues("mongo-lock.hand-over.max-time=1m").run((context) -> {
			StoreClient client = context.getBean(StoreClient.class);
			LockRequest waiting = LockRequest.builder("a").waitTimeout(Duration.ofMinutes(1)).build();
			LockHandle first = client.locks().acquire(waiting);
			// Only a grant to one behind whom others stand may be handed on, and the next
			// one may have asked before
			List<CompletableFuture<LockHandle>> others = IntStream.range(0, 5)
				.mapToObj((i) -> client.locks().acquireAsync(waiting))
				.toList();
			await().until(() -> client.waiting().applyAsInt("a") == others.size());
			first.close();
			for (CompletableFuture<LockHandle> next : others) {
				try (LockHandle held = next.get(1, TimeUnit.MINUTES)) {
					assertThat(client.store().find("a", Duration.ofSeconds(5)).orElseThrow().liveHolders())
						.singleElement()
						.satisfies((holder) -> assertThat(holder.fence()).isEqualTo(held.fence()));
				}
			}
		});
	}

	@Test
	void methodsRunUnderItsLocks() {
		this.runner.withBean(Librarian.class).run((context) -> {
			Librarian librarian = context.getBean(Librarian.class);
			assertThat(librarian.sort("a", null)).isEqualTo("shelf a, held: true");
			try (LockHandle held = context.getBean(StoreClient.class).locks().acquire(LockRequest.of("b"))) {
				assertThat(held.isHeld()).isTrue();
				CompletableFuture.runAsync(() -> assertThat(librarian.sort("b", null)).as("skipped").isNull()).join();
			}
		});
	}

	@Test
	void aMethodThatItRefusesIsRefusedAtTheStart() {
		this.runner.withBean(Baker.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Baker.bake(String)")
				.hasMessageContaining("documents of that type cannot be locked")
				.hasMessageContaining("Only shelves are locked here"));
	}

	@Test
	void operatorsSeeAndReleaseItsLocksByItsPrefix() {
		this.runner.withConfiguration(AutoConfigurations.of(LockEndpointAutoConfiguration.class)).run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			context.getBean(StoreClient.class).locks().acquire(LockRequest.of("a"));
			assertThat(keys(endpoint, null)).isEmpty();
			assertThat(keys(endpoint, "shelf~")).containsExactly("shelf~a");
			assertThat(endpoint.release(SecurityContext.NONE, new String[] { "shelf~a" }, "test", null).released())
				.isOne();
			assertThat(keys(endpoint, "shelf~")).isEmpty();
		});
	}

	private static List<String> keys(LocksEndpoint endpoint, @Nullable String prefix) {
		return endpoint.locks(prefix, null, null, null, null).locks().stream().map(LockDescriptor::key).toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "shelf~", "shelf~upper~", "sh" })
	void aPrefixThatIsTheBeginningOfAnothersIsRefusedAtTheStart(String prefix) {
		this.runner.withBean("attic", LockExtension.class, () -> new LockExtension() {

			@Override
			public String operatorPrefix() {
				return prefix;
			}

		})
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("'" + prefix + "'")
				.hasMessageContaining("'shelf~'")
				.hasMessageContaining("LockExtension.operatorPrefix()"));
	}

	@Test
	void itsSettingsAreReadAndWhatNobodyReadsIsSaid(CapturedOutput output) {
		this.runner
			.withPropertyValues("mongo-lock.shelf.height=3", "mongo-lock.shelf.widht=4", "mongo-lock.shelf.dust=7d")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("'mongo-lock.shelf.widht'", "did you mean 'mongo-lock.shelf.width'?")
			.doesNotContain("Nothing reads the property 'mongo-lock.shelf.height'",
					"Nothing reads the property 'mongo-lock.shelf.dust'");
	}

	@Test
	void itsWrongSettingsFailTheStart() {
		this.runner.withPropertyValues("mongo-lock.shelf.dust=7")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("mongo-lock.shelf.dust")
				.hasMessageContaining("has no unit"));
		this.runner.withPropertyValues("mongo-lock.shelves[upper.left].dust=7")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("mongo-lock.shelves[upper.left].dust")
				.hasMessageContaining("has no unit"));
		this.runner.withPropertyValues("mongo-lock.shelf.height=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("mongo-lock.shelf.height")
				.hasMessageContaining("must be at least 1"));
		this.runner.withPropertyValues("mongo-lock.shelf.width=13")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("mongo-lock.shelf.width")
				.hasMessageContaining("brings bad luck"));
	}

	@Test
	void whereLocksAreSwitchedOffItsOwnAreNot() {
		this.runner.withPropertyValues("mongo-lock.enabled=false").run((context) -> {
			StoreClient client = context.getBean(StoreClient.class);
			try (LockHandle held = client.locks().acquire(LockRequest.of("a"))) {
				assertThat(held.isHeld()).isTrue();
				assertThat(client.store().find("a", Duration.ofSeconds(5))).isPresent();
			}
		});
	}

	@Test
	void itsLocksEndWhereTheApplicationsOwnDo() {
		this.runner.run((context) -> {
			StoreClient own = context.getBean(StoreClient.class);
			LockHandle handle = own.locks().acquire(LockRequest.of("a"));
			context.stop();
			assertThat(handle.isHeld()).isTrue();
			own.locks().acquire(LockRequest.of("b")).close();
			context.close();
			assertThat(handle.isHeld()).isFalse();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> own.locks().acquire(LockRequest.of("b")));
		});
	}

	record Shelf(LockHandle lock, Object id) {

	}

	@ConfigurationProperties("mongo-lock")
	record ShelfSettings(@DefaultValue Measures shelf, @DefaultValue Map<String, Measures> shelves) {

		record Measures(@DefaultValue("1") int height, @DefaultValue("1") int width, @Nullable Duration dust) {

		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ShelfSettings.class)
	static class ShelfModule {

		@Bean
		@DependsOn(LockEnvironment.VALIDATOR)
		StoreClient shelves(LockEnvironment environment) {
			return environment.open(new MongoLockStore(environment.template(), "shelves", ""));
		}

		@Bean
		static LockExtension shelfExtension(ShelfSettings settings, ObjectProvider<StoreClient> client) {
			return new LockExtension() {

				@Override
				public List<Class<? extends Record>> settings() {
					return List.of(ShelfSettings.class);
				}

				@Override
				public void check(SettingChecks checks) {
					checks.positive("shelf.height", settings.shelf().height());
					if (settings.shelf().width() == 13) {
						throw checks.invalid("shelf.width", 13, "brings bad luck");
					}
				}

				@Override
				public Set<String> collections() {
					return Set.of("shelves");
				}

				@Override
				public String operatorPrefix() {
					return "shelf~";
				}

				@Override
				public List<StoreClient> clients() {
					return client.stream().toList();
				}

			};
		}

		@Bean
		static DocumentLocking shelfLocking(ObjectProvider<StoreClient> client) {
			return new DocumentLocking() {

				@Override
				public Class<?> parameterType() {
					return Shelf.class;
				}

				@Override
				public void check(Class<?> document) {
					if (document != Shelf.class) {
						throw new IllegalArgumentException("Only shelves are locked here.");
					}
				}

				@Override
				public @Nullable Object execute(Class<?> document, Object id, Consumer<LockRequest.Builder> how,
						Work work) throws Throwable {
					LockRequest.Builder request = LockRequest.builder(id.toString());
					how.accept(request);
					return client.getObject()
						.locks()
						.execute(request.build(), (handle) -> work.run(new Shelf(handle, id)));
				}

			};
		}

	}

	static class Librarian {

		@Nullable
		@DistributedLock(document = Shelf.class, key = "#id", onUnavailable = OnUnavailable.SKIP)
		String sort(String id, @Nullable Shelf shelf) {
			return "shelf " + shelf.id() + ", held: " + shelf.lock().isHeld();
		}

	}

	static class Baker {

		@DistributedLock(document = String.class, key = "#id")
		void bake(String id) {
		}

	}

}
