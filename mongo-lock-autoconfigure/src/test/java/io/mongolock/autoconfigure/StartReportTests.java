package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.store.mongo.LockLocation;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.TtlIndexInitializer.Mode;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StartReport}.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartReportTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class,
				MongoLockAutoConfiguration.class))
		.withPropertyValues("mongo-lock.ttl-index.mode=none")
		.withBean(Jobs.class)
		.withBean("again", Jobs.class);

	@Test
	void oneLineNamesCollectionServerGuardedMethodsAndSettings(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start()) {
			at(server.connectionString() + "/shop")
				.withPropertyValues("mongo-lock.collection=leases", "mongo-lock.ttl=60s",
						"mongo-lock.locks.settle.ttl=2m", "mongo-lock.locks.report.ttl=1h")
				.run((context) -> awaitLine(output));
			assertThat(lines(output)).singleElement()
				.asString()
				.contains(" INFO ")
				.contains("Locks are kept in shop.leases (MongoDB 5.0.0, replica set embedded, 127.0.0.1:"
						+ server.port()
						+ "); 2 methods are guarded; ttl=1m, margin=12s, renew-interval=10s..16s, operation-timeout=3s, "
						+ "wait-timeout=5s, retry-interval=100ms, auto-renew=true, linger=0ms, hand-over=250ms/1000, "
						+ "place-ttl=6s, max-places=10000, notifications=auto, ttl-index=none/7d")
				.endsWith("; names with their own settings: report, settle");
		}
	}

	@Test
	void aServerThatStandsAloneIsCalledThat(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			at(server.connectionString() + "/shop").run((context) -> awaitLine(output));
			assertThat(lines(output)).singleElement().asString().contains("shop.locks (MongoDB 5.0.0, standalone); ");
		}
	}

	@Test
	void theStartDoesNotWaitForTheAnswer(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.start();
				FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
			Hold answer = proxy.on("buildInfo").holdReply();
			at(proxy.connectionString()).run((context) -> {
				answer.release();
				awaitLine(output);
			});
			assertThat(lines(output)).singleElement().asString().contains("[mongo-lock-start]");
		}
	}

	@Test
	void aServerThatDoesNotAnswerIsReported(CapturedOutput output) {
		at("mongodb://127.0.0.1:1/shop?serverSelectionTimeoutMS=50").run((context) -> awaitLine(output));
		assertThat(lines(output)).singleElement()
			.asString()
			.contains(" INFO ")
			.contains("shop.locks (MongoDB has not answered yet: ")
			.contains("127.0.0.1:1")
			.contains("2 methods are guarded; ttl=30s");
	}

	@Test
	void aServerThatRefusesTheApplicationHasAnswered(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			// It knows no users, so it refuses them all
			String user = server.connectionString().replace("mongodb://", "mongodb://somebody:wrong@");
			at(user + "/shop").run((context) -> awaitLine(output));
		}
		assertThat(lines(output)).singleElement()
			.asString()
			.contains("shop.locks (MongoDB refuses this application, and no lock is granted until MongoDB accepts it: ")
			.contains("Check the user, the password and the authentication database of the connection")
			.doesNotContain("not answered");
	}

	@Test
	void anApplicationThatEndsBeforeTheAnswerSaysNothingAndLeavesNoThread(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.start();
				FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
			proxy.on("buildInfo").holdReply();
			at(proxy.connectionString()).run((context) -> assertThat(context).hasNotFailed());
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getName().equals("mongo-lock-start")));
			// Only on a machine so slow that the answer was given up before the end
			assertThat(lines(output)).noneMatch((line) -> line.toLowerCase(Locale.ROOT).contains("interrupt"));
		}
	}

	@Test
	void rightsThatAreMissingAreSaidOfLocksAndSequences(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			at(server.connectionString() + "/shop").run((context) -> {
				LockLocation locks = Mockito.mock();
				LockLocation sequences = Mockito.mock();
				BDDMockito.given(locks.namespace()).willReturn("shop.locks");
				BDDMockito.given(locks.missingPrivileges(Mode.NONE, Notifications.AUTO, Duration.ofSeconds(3)))
					.willReturn(Optional.of("those of locks"));
				BDDMockito.given(sequences.missingPrivileges(Mode.NONE, Notifications.OFF, Duration.ofSeconds(3)))
					.willReturn(Optional.of("those of sequences"));
				StartReport report = new StartReport(locks, context.getBean(ConfiguredSettings.class),
						context.getBean(MongoLockProperties.class), context.getBean(LockMethodVerifier.class),
						() -> List.of(sequences));
				report.start();
				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.until(() -> output.toString().contains("Rights are missing in MongoDB: those of sequences"));
				assertThat(output).contains("Rights are missing in MongoDB: those of locks");
			});
		}
	}

	@Test
	void whenABeanCallsItsLockedMethodThenTheLogNamesBothUnlessVerificationIsOff(CapturedOutput output) {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			at(server.connectionString() + "/shop").withBean(Shop.class)
				.run((context) -> Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.until(() -> output.toString()
						.contains("run WITHOUT the lock: " + Shop.class.getName()
								+ ".payAll() calls pay(String). Move")));
			String before = output.toString();
			at(server.connectionString() + "/shop").withBean(Shop.class)
				.withPropertyValues("mongo-lock.verification=off")
				.run((context) -> context.getBean(LockMethodVerifier.class).warnOfSelfCalls());
			assertThat(output.toString().substring(before.length())).doesNotContain("WITHOUT the lock");
		}
	}

	private ApplicationContextRunner at(String uri) {
		return this.runner.withPropertyValues("spring.mongodb.uri=" + uri);
	}

	private static void awaitLine(CapturedOutput output) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !lines(output).isEmpty());
	}

	private static List<String> lines(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("Locks are kept in ")).toList();
	}

	static class Jobs {

		@DistributedLock("settle")
		void settle() {
		}

		@DistributedLock("report")
		void report() {
		}

		void free() {
		}

	}

	static class Shop {

		@DistributedLock(name = "order", key = "#id")
		void pay(String id) {
		}

		void payAll() {
			pay("1");
		}

	}

}
