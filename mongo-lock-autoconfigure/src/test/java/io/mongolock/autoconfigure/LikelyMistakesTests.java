package io.mongolock.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.ArrayList;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

import io.mongolock.LockMode;
import io.mongolock.LockOperations;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the start says of methods that may be meant as they are.
 */
@ExtendWith(OutputCaptureExtension.class)
class LikelyMistakesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockOperations.class, RecordingLockOperations::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@Test
	void methodsWithArgumentsAndALockWithoutAKeyAreNamedOnce(CapturedOutput output) {
		this.runner.withBean(Keys.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("even with different arguments: " + Keys.class.getName()
				+ ".byName(String), " + Keys.class.getName() + ".shared(String). If only");
	}

	@Test
	void aMethodOfARepositoryIsNamedAfterItsInterface(CapturedOutput output) {
		this.runner
			.withBean(Repository.class,
					() -> (Repository) Proxy.newProxyInstance(getClass().getClassLoader(),
							new Class<?>[] { Repository.class }, (proxy, method, arguments) -> null))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce(
				"even with different arguments: " + Repository.class.getName() + ".find(String). If only");
	}

	@Test
	void methodsWithAKeyOrWithoutArgumentsAreNot(CapturedOutput output) {
		this.runner.withBean(GoodKeys.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("even with different arguments");
	}

	@Test
	void withoutATransactionManagerTransactionalMethodsAreWarnedOf(CapturedOutput output) {
		this.runner.withBean(Transactions.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("There is no transaction manager")
			.contains("rolled back: " + Transactions.class.getName() + ".pay(). Declare a manager as a bean");
	}

	@Test
	void withOneTheyAreNot(CapturedOutput output) {
		this.runner.withBean(Transactions.class)
			.withBean(PlatformTransactionManager.class, () -> new RecordingTransactionManager(new ArrayList<>()))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("There is no transaction manager", "SYNCHRONIZATION_NEVER");
	}

	@Test
	void aTransactionManagerThatLetsNobodySeeItsEndIsWarnedOf(CapturedOutput output) {
		this.runner.withBean("blind", PlatformTransactionManager.class, () -> {
			RecordingTransactionManager manager = new RecordingTransactionManager(new ArrayList<>());
			manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
			return manager;
		}).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("The transaction manager 'blind' has SYNCHRONIZATION_NEVER")
			.contains("BEFORE the transaction commits");
	}

	/**
	 * The managers of Kafka, JMS and AMQP have it by default; Spring Boot may have made
	 * them.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "kafka.transaction.KafkaTransactionManager", "jms.connection.JmsTransactionManager",
			"amqp.rabbit.transaction.RabbitTransactionManager" })
	void aTransactionManagerOfMessagesIsNot(String name, CapturedOutput output) throws Exception {
		PlatformTransactionManager ofMessages = new ByteBuddy().subclass(BlindTransactionManager.class)
			.name("org.springframework." + name)
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded()
			.getConstructor()
			.newInstance();
		this.runner.withBean("messages", PlatformTransactionManager.class, () -> ofMessages)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("SYNCHRONIZATION_NEVER");
	}

	@Test
	void aTransactionManagerThatIsNoBeanIsOneToo(CapturedOutput output) {
		this.runner
			.withBean(TransactionManagementConfigurer.class,
					() -> () -> new RecordingTransactionManager(new ArrayList<>()))
			.withBean(Transactions.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("There is no transaction manager");
	}

	@Test
	void methodsThatTheContainerCallsWithoutTheLockOfTheirClassAreWarnedOf(CapturedOutput output) {
		this.runner.withBean(Jobs.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("tick, which the container calls, runs WITHOUT the lock")
			.containsOnlyOnce("heard, which the container calls, runs WITHOUT the lock")
			.doesNotContain("own, which", "open, which", "helper, which");
	}

	static class Keys {

		@DistributedLock("a")
		void byName(String id) {
		}

		@DistributedLock("b")
		@DistributedLock("c")
		void shared(String id) {
		}

	}

	@DistributedLock("a")
	public interface Repository {

		void find(String id);

	}

	static class GoodKeys {

		@DistributedLock("a")
		void without() {
		}

		@DistributedLock(name = "a", key = "#id")
		void with(String id) {
		}

		@DistributedLock(value = "a", limit = "5")
		void someAtATime(String id) {
		}

		@DistributedLock(value = "a", mode = LockMode.SHARED)
		void allAtATime(String id) {
		}

		@DistributedLock("all")
		@DistributedLock(name = "a", key = "#id")
		void both(String id) {
		}

	}

	public static class BlindTransactionManager extends RecordingTransactionManager {

		protected BlindTransactionManager() {
			super(new ArrayList<>());
			setTransactionSynchronization(SYNCHRONIZATION_NEVER);
		}

	}

	public static class Transactions {

		@Transactional
		@DistributedLock("a")
		public void pay() {
		}

		@Transactional
		public void unlocked() {
		}

	}

	@DistributedLock("jobs")
	public static class Jobs {

		@Scheduled(fixedDelay = 1000)
		void tick() {
		}

		@EventListener
		protected void heard(String event) {
		}

		@DistributedLock("own")
		@Scheduled(fixedDelay = 1000)
		void own() {
		}

		@Scheduled(fixedDelay = 1000)
		public void open() {
		}

		void helper() {
		}

	}

}
