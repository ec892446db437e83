package io.mongolock.test.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.BDDMockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.Commit;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.UnlockedLockOperations;
import io.mongolock.store.LockStore;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.faults.EnableLockFaults;
import io.mongolock.test.faults.LockFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AutoConfigureMongoLockTest} on whole applications.
 */
class AutoConfigureMongoLockTestTests {

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
			properties = "mongo-lock.wait-timeout=0s")
	@AutoConfigureMongoLockTest
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	@ExtendWith(OutputCaptureExtension.class)
	class Reset {

		private static LockHandle left;

		@Autowired
		private LockOperations locks;

		@Autowired
		private LockAssertions assertions;

		@Autowired
		private Jobs jobs;

		@Test
		@Order(1)
		void aTestMayLeaveALockBehind() {
			left = this.locks.acquire(LockRequest.of("left"));
			this.jobs.run();
			this.assertions.assertThatLock("left").isHeld();
			this.assertions.assertThatLock("job").isHeld();
		}

		@Test
		@Order(2)
		void theNextOneFindsItFreeAndItsHolderKnows(CapturedOutput output) {
			assertThat(output).contains("Locks were still held after ")
				.contains("aTestMayLeaveALockBehind() and are now lost: [left]");
			this.assertions.assertThatLock("left").isFree();
			assertThat(left.isHeld()).isFalse();
			this.assertions.assertThatLock("job").isFree();
			try (LockHandle handle = this.locks.acquire(LockRequest.of("left"))) {
				assertThat(handle.fence()).isGreaterThan(left.fence());
			}
			this.assertions.assertThatLock("job").isTakenBy(this.jobs::run).isHeld();
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	@TestInstance(Lifecycle.PER_CLASS)
	class HeldBefore {

		private LockHandle before;

		@Autowired
		private LockOperations locks;

		@BeforeAll
		void hold() {
			this.before = this.locks.acquire(LockRequest.of("before"));
		}

		@AfterAll
		void release() {
			this.before.close();
		}

		@RepeatedTest(2)
		void aLockHeldBeforeTheMethodStaysHeld() {
			assertThat(this.before.isHeld()).isTrue();
			this.before.renew();
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
			properties = "mongo-lock.linger=20s")
	@AutoConfigureMongoLockTest
	@ExtendWith(OutputCaptureExtension.class)
	class Lingering {

		@RepeatedTest(4)
		void anIdleLeaseIsTakenAwayAsWell(@Autowired Jobs jobs, @Autowired LockAssertions assertions,
				@Autowired LockTemplate client, CapturedOutput output) {
			assertions.assertThatLock("order:42").isTakenBy(() -> jobs.pay("42"));
			jobs.pay("42");
			jobs.pay("42");
			assertThat(client.idle()).isNotEmpty();
			assertThat(output).doesNotContain("still held");
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	class MockedBeans {

		@MockitoBean
		private Jobs jobs;

		@MockitoBean
		private LockOperations locks;

		@Test
		void neitherALockedBeanNorTheLocksNeedBeReal() {
			this.jobs.pay("42");
			BDDMockito.verify(this.jobs).pay("42");
			BDDMockito.verifyNoInteractions(this.locks);
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest(reset = false)
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	class NoReset {

		private static LockHandle left;

		@Autowired
		private LockOperations locks;

		@Test
		@Order(1)
		void aTestLeavesALockBehind() {
			left = this.locks.acquire(LockRequest.of("for-the-next"));
		}

		@Test
		@Order(2)
		void theNextOneHasIt(@Autowired LockAssertions assertions) {
			assertThat(left.isHeld()).isTrue();
			assertions.assertThatLock("for-the-next").isHeld();
			left.close();
			assertions.assertThatLock("for-the-next").isFree();
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	@EnableLockFaults
	class WithFaults {

		@Test
		void faultsWorkOnItAndAssertionsLookBehindThem(@Autowired Jobs jobs, @Autowired LockFaults faults,
				@Autowired LockAssertions assertions) {
			faults.storeDown();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> jobs.pay("42"));
			assertions.assertThatLock("order:42").isFree();
			faults.heal();
			assertions.assertThatLock("order:42").isTakenBy(() -> jobs.pay("42")).isFree();
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	@EnableLockFaults
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	class ResetAfterFaults {

		private static LockHandle left;

		@Test
		@Order(1)
		void aTestMayEndWhileTheStoreIsDown(@Autowired LockOperations locks, @Autowired LockFaults faults) {
			left = locks.acquire(LockRequest.of("left"));
			faults.storeDown();
		}

		@Test
		@Order(2)
		void theHolderKnowsAllTheSame(@Autowired LockAssertions assertions) {
			assertions.assertThatLock("left").isFree();
			assertThat(left.isHeld()).isFalse();
		}

	}

	@Nested
	@SpringBootTest(classes = WithTransactions.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	@ExtendWith(OutputCaptureExtension.class)
	class ResetAfterTransactions {

		@Autowired
		private LockAssertions assertions;

		@Autowired
		private Transactions transactions;

		@Test
		@Order(1)
		@Transactional
		void theTransactionOfATestKeepsItsLocks(@Autowired Jobs jobs) {
			this.transactions.ended.clear();
			jobs.pay("42");
			this.assertions.assertThatLock("order:42").isHeld();
		}

		@Test
		@Order(2)
		@Transactional
		@Commit
		void alsoOfOneThatIsCommitted(@Autowired Jobs jobs) {
			jobs.pay("43");
			this.assertions.assertThatLock("order:42").isFree();
			this.assertions.assertThatLock("order:43").isHeld();
		}

		@Test
		@Order(3)
		void noneOfThemLostThem(CapturedOutput output) {
			this.assertions.assertThatLock("order:43").isFree();
			assertThat(this.transactions.ended).containsExactly("rolled back", "committed");
			assertThat(output).doesNotContain("Locks were still held after ");
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	@TestPropertySource(properties = "mongo-lock.enabled=false")
	class SwitchedOff {

		@Test
		void methodsRunWithoutALock(@Autowired Jobs jobs, @Autowired LockOperations operations,
				@Autowired LockAssertions assertions) {
			assertThat(operations).isInstanceOf(UnlockedLockOperations.class);
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> assertions.assertThatLock("order:42").isTakenBy(() -> jobs.pay("42")))
				.withMessageContaining("ran without this lock");
		}

	}

	@Nested
	@SpringBootTest(classes = WithoutMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	class OfAHolder {

		@Test
		void aCallThatSharesTheLockOfItsCallerTakesNone(@Autowired Jobs jobs, @Autowired LockOperations locks,
				@Autowired LockAssertions assertions) {
			locks.execute(LockRequest.of("order:42"),
					(handle) -> assertThatExceptionOfType(AssertionError.class)
						.isThrownBy(() -> assertions.assertThatLock("order:42").isTakenBy(() -> jobs.pay("42")))
						.withMessageContaining("because the caller already holds it"));
		}

	}

	@Nested
	@SpringBootTest(classes = OwnStore.class, webEnvironment = SpringBootTest.WebEnvironment.NONE)
	@AutoConfigureMongoLockTest
	class WithAStoreOfItsOwn {

		@Test
		void thatIsLeftAlone(@Autowired LockStore store, @Autowired ApplicationContext context) {
			assertThat(context.getBeansOfType(LockStore.class)).hasSize(1).containsKey("ownStore");
		}

	}

	@Nested
	@SpringBootTest(classes = WithMongo.class, webEnvironment = SpringBootTest.WebEnvironment.NONE,
			properties = "spring.mongodb.uri=mongodb://not.there.invalid/shop")
	@AutoConfigureMongoLockTest
	class WithMongoThatIsNotThere {

		@Test
		void noneIsNeeded(@Autowired Jobs jobs, @Autowired LockAssertions assertions,
				@Autowired ApplicationContext context) {
			assertThat(context.getBeansOfType(LockStore.class).values()).singleElement()
				.isInstanceOf(InMemoryLockStore.class);
			assertions.assertThatLock("order:42").isTakenBy(() -> jobs.pay("42")).isFree();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = { MongoAutoConfiguration.class, DataMongoAutoConfiguration.class })
	@Import(Jobs.class)
	static class WithoutMongo {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Jobs.class)
	static class WithMongo {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ WithoutMongo.class, Transactions.class })
	static class WithTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(WithoutMongo.class)
	static class OwnStore {

		@Bean
		InMemoryLockStore ownStore() {
			return new InMemoryLockStore();
		}

	}

	static class Jobs {

		@DistributedLock(name = "job", minHold = "1h")
		void run() {
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s")
		void pay(String id) {
		}

	}

	static class Transactions extends AbstractPlatformTransactionManager {

		private final List<String> ended = new ArrayList<>();

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.ended.add("committed");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.ended.add("rolled back");
		}

	}

}
