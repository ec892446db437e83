package io.mongolock.docs;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.ConnectionString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.faults.EnableLockFaults;
import io.mongolock.test.faults.LockFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * An example of each attribute of {@link DistributedLock}, of several locks and of a
 * result that ends later, and what it does.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureMongoLockTest
@EnableLockFaults
class EachAttributeTests {

	@Autowired
	private Examples examples;

	@Autowired
	private LockOperations operations;

	@Autowired
	private LockAssertions locks;

	@Test
	void valueOrNameAloneIsTheKey() {
		this.locks.assertThatLock("settlement").isTakenBy(this.examples::value);
		this.locks.assertThatLock("settlement").isTakenBy(this.examples::name);
	}

	@Test
	void keyIsAppendedToTheName() {
		this.locks.assertThatLock("order:42").isTakenBy(() -> this.examples.key(new Order("42", 10)));
	}

	@Test
	void keyOfSeveralIsALockEach() {
		this.locks.assertThatLock("order:42")
			.isTakenBy(() -> this.locks.assertThatLock("order:43")
				.isTakenBy(() -> this.examples.severalKeys(List.of("43", "42"))));
	}

	@Test
	void repeatedItIsALockEach() {
		this.locks.assertThatLock("account:a")
			.isTakenBy(() -> this.locks.assertThatLock("account:b").isTakenBy(() -> this.examples.repeated("b", "a")));
	}

	@Test
	void aResultThatEndsLaterHoldsTheLockUntilThen() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.examples.later("42", work);
		await().untilAsserted(() -> this.locks.assertThatLock("order:42").isHeld());
		work.complete("done");
		assertThat(result.join()).isEqualTo("done");
		this.locks.assertThatLock("order:42").isFree();
	}

	@Test
	void conditionSaysWhichCallsNeedTheLock() {
		this.locks.assertThatLock("order:42").isTakenBy(() -> this.examples.condition(new Order("42", 2000)));
		try (LockHandle other = this.operations.acquire(LockRequest.of("order", "42"))) {
			assertThatNoException().isThrownBy(() -> this.examples.condition(new Order("42", 10)));
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void ttlIsHowLongOthersWaitAfterACrash() {
		assertThat(this.examples.ttl()).isPositive().isLessThan(Duration.ofSeconds(10));
	}

	@Test
	void autoRenewIsSwitchedOffForWorkThatMustNotTakeLonger() {
		assertThat(this.examples.autoRenew()).isPositive().isLessThan(Duration.ofMinutes(2));
	}

	@Test
	void waitTimeoutIsHowLongToWaitForAnother() {
		try (LockHandle other = this.operations.acquire(LockRequest.of("import"))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.examples::waitTimeout);
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void retryIntervalIsHowOftenToLookMeanwhile() {
		this.locks.assertThatLock("import").isTakenBy(this.examples::retryInterval);
	}

	@Test
	void minHoldKeepsTheLockAfterAShortMethod() {
		this.locks.assertThatLock("report").isTakenBy(this.examples::minHold).isHeld();
	}

	@Test
	void limitLetsSeveralHoldTheLockTogether() {
		try (LockHandle other = this.operations.acquire(LockRequest.builder("export").limit(2).build())) {
			this.locks.assertThatLock("export")
				.isTakenBy(() -> this.examples.limit(() -> this.locks.assertThatLock("export").hasHolders(2)));
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void modeSharesTheLockWithThoseThatShareIt() {
		try (LockHandle reader = this.operations.acquire(LockRequest.builder("prices").shared().build())) {
			this.locks.assertThatLock("prices")
				.isTakenBy(() -> this.examples.mode(() -> this.locks.assertThatLock("prices").hasHolders(2)));
			assertThat(reader.isHeld()).isTrue();
		}
	}

	@Test
	void onUnavailableSkipsTheMethod() {
		assertThat(this.examples.onUnavailable()).contains("done");
		try (LockHandle other = this.operations.acquire(LockRequest.of("nightly"))) {
			assertThat(this.examples.onUnavailable()).isEmpty();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void fallbackAnswersInstead() {
		assertThat(this.examples.fallback("42")).isEqualTo("fresh 42");
		try (LockHandle other = this.operations.acquire(LockRequest.of("stock", "42"))) {
			assertThat(this.examples.fallback("42")).isEqualTo("old 42");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void unavailableHandlerAnswersInstead() {
		assertThat(this.examples.unavailableHandler("42")).isEqualTo("fresh 42");
		try (LockHandle other = this.operations.acquire(LockRequest.of("stock", "42"))) {
			assertThat(this.examples.unavailableHandler("42")).isEqualTo("try later");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void onLostSaysWhatALossIs(@Autowired LockFaults faults) {
		assertThatNoException().isThrownBy(() -> this.examples.onLost(() -> faults.lose("mail")));
	}

	@Test
	void documentLocksTheDocumentItself(@Autowired MongoTemplate mongo) {
		mongo.save(new Article("a", "draft", null));
		this.examples.document("a", "final", null);
		assertThat(mongo.findById("a", Article.class)).extracting(Article::text).isEqualTo("final");
	}

	@Test
	void thereIsAnExampleOfEach() throws ReflectiveOperationException {
		List<String> without = new ArrayList<>();
		for (Method attribute : DistributedLock.class.getDeclaredMethods()) {
			if (Stream.of(Examples.class.getDeclaredMethods())
				.filter((example) -> example.getName().equals(attribute.getName()))
				.noneMatch((example) -> says(example, attribute))) {
				without.add(attribute.getName());
			}
		}
		assertThat(without).isEmpty();
	}

	private static boolean says(Method example, Method attribute) {
		try {
			return !attribute.invoke(example.getAnnotation(DistributedLock.class)).equals(attribute.getDefaultValue());
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Examples.class)
	static class App {

		@Bean
		EmbeddedMongo embeddedMongo() {
			return EmbeddedMongo.start();
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(EmbeddedMongo server) {
			return () -> new ConnectionString(server.connectionString() + "/examples");
		}

		@Bean
		LockUnavailableHandler tryLater() {
			return (call, ex) -> "try later";
		}

	}

	/** For each attribute a method of its name. */
	static class Examples {

		private final DocumentLockOperations documents;

		Examples(DocumentLockOperations documents) {
			this.documents = documents;
		}

		@DistributedLock("settlement")
		void value() {
		}

		@DistributedLock(name = "${examples.settlement:settlement}")
		void name() {
		}

		@DistributedLock(name = "order", key = "#order.id")
		void key(Order order) {
		}

		@DistributedLock(name = "order", key = "#ids")
		void severalKeys(List<String> ids) {
		}

		@DistributedLock(name = "account", key = "#from")
		@DistributedLock(name = "account", key = "#to")
		void repeated(String from, String to) {
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> later(String id, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(name = "order", key = "#order.id", condition = "#order.amount > 1000")
		void condition(Order order) {
		}

		@DistributedLock(name = "import", ttl = "10s")
		Duration ttl() {
			return LockContext.current().remaining();
		}

		@DistributedLock(name = "import", ttl = "2m", autoRenew = "false")
		Duration autoRenew() {
			return LockContext.current().remaining();
		}

		@DistributedLock(name = "import", waitTimeout = "0s")
		void waitTimeout() {
		}

		@DistributedLock(name = "import", retryInterval = "50ms")
		void retryInterval() {
		}

		@DistributedLock(name = "report", minHold = "1m")
		void minHold() {
		}

		@DistributedLock(name = "export", limit = "2")
		void limit(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "prices", mode = LockMode.SHARED)
		void mode(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "nightly", onUnavailable = OnUnavailable.SKIP)
		Optional<String> onUnavailable() {
			return Optional.of("done");
		}

		@DistributedLock(name = "stock", key = "#id", waitTimeout = "0s", fallback = "oldStock")
		String fallback(String id) {
			return "fresh " + id;
		}

		private String oldStock(String id, LockUnavailableException ex) {
			return "old " + id;
		}

		@DistributedLock(name = "stock", key = "#id", waitTimeout = "0s", unavailableHandler = "tryLater")
		String unavailableHandler(String id) {
			return "fresh " + id;
		}

		@DistributedLock(name = "mail", onLost = OnLost.IGNORE)
		void onLost(Runnable work) {
			work.run();
		}

		@DistributedLock(document = Article.class, key = "#id")
		void document(String id, String text, @Nullable LockedDocument<Article> locked) {
			Article found = locked.entity();
			locked.save(new Article(found.id(), text, found.version()));
		}

	}

	record Order(String id, long amount) {

	}

	record Article(String id, String text, @Version @Nullable Long version) {

	}

}
