package io.mongolock.test.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.LockStore;
import io.mongolock.store.RecallListener;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredLock;
import io.mongolock.test.InMemoryLockStore;
import io.mongolock.test.faults.LockFaultsConfiguration.LockFaultsRegistrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link LockFaults} by themselves.
 */
class LockFaultsTests {

	private static final Duration TIMEOUT = Duration.ofMillis(50);

	private static final LeaseId ID = new LeaseId("order:42", "00112233445566778899aabbccddeeff");

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<String> losses = new ArrayList<>();

	private final LockFaults faults = new LockFaults(this.store, this.losses::add);

	@Test
	void withoutAFaultAllIsPassedOn() {
		acquire();
		assertThat(this.faults.renew(ID, TIMEOUT)).isTrue();
		assertThat(this.faults.renewAll(List.of(ID), TIMEOUT).found()).isOne();
		assertThat(this.faults.find(ID.key(), TIMEOUT)).isPresent();
		assertThat(this.faults.list(2, TIMEOUT)).hasSize(1);
		assertThat(this.faults.leave(ID, TIMEOUT)).isFalse();
		assertThat(this.faults.releaseGrant(ID, 0, TIMEOUT)).isFalse();
		assertThat(this.faults.release(ID, TIMEOUT).ended()).isTrue();
		assertThat(isHeld()).isFalse();
	}

	@Test
	void whenTheStoreListsAndWatchesByItselfThenItIsAsked() {
		LockStore own = BDDMockito.mock();
		LockFilter filter = new LockFilter("order:", "shop", Duration.ZERO);
		LockPage page = new LockPage(List.of(), "order:42");
		Comparator<String> order = Comparator.reverseOrder();
		StoreSubscription recalls = BDDMockito.mock();
		RecallListener listener = BDDMockito.mock();
		BDDMockito.given(own.list(filter, "order:1", 2, 3, TIMEOUT)).willReturn(page);
		BDDMockito.given(own.keyOrder()).willReturn(order);
		BDDMockito.given(own.watchRecalls(listener)).willReturn(recalls);
		LockFaults faults = new LockFaults(own, this.losses::add);
		assertThat(faults.list(filter, "order:1", 2, 3, TIMEOUT)).isSameAs(page);
		assertThat(faults.keyOrder()).isSameAs(order);
		assertThat(faults.watchRecalls(listener)).isSameAs(recalls);
		faults.storeDown();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> faults.list(filter, "order:1", 2, 3, TIMEOUT));
	}

	@Test
	void aTestWithThemMayBeProcessedAheadOfTime() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(InMemoryLockStore.class, LockFaultsConfiguration.class);
			assertThatNoException().isThrownBy(() -> new ApplicationContextAotGenerator().processAheadOfTime(context,
					new DefaultGenerationContext(new ClassNameGenerator(ClassName.get("io.mongolock", "Generated")),
							new InMemoryGeneratedFiles())));
			// As what was generated does, which has the bean already
			new LockFaultsRegistrar().postProcessBeanDefinitionRegistry(context.getDefaultListableBeanFactory());
		}
	}

	@Test
	void aLockIsLostWhenTheTestSaysSo() {
		acquire();
		this.faults.lose(ID.key());
		assertThat(isHeld()).isFalse();
		assertThat(this.losses).containsExactly(ID.key());
	}

	@Test
	void aLockThatNobodyHoldsCannotBeLost() {
		acquire();
		assertThatIllegalStateException().isThrownBy(() -> this.faults.lose("order:43"))
			.withMessageContaining("'order:43'")
			.withMessageContaining("[order:42]");
		assertThat(this.losses).isEmpty();
	}

	@Test
	void aRequestToAStoreThatIsDownIsNotExecuted() {
		this.faults.storeDown();
		assertFails(Outcome.NOT_EXECUTED);
		assertThat(isHeld()).isFalse();
	}

	@Test
	void aRequestToASlowStoreIsAnsweredAfterTheDelay() {
		this.faults.storeSlow(Duration.ofMillis(5));
		long before = System.nanoTime();
		acquire();
		assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(Duration.ofMillis(5).toNanos());
	}

	@Test
	void aRequestToAStoreThatIsTooSlowIsExecutedWithoutAnAnswer() {
		this.faults.storeSlow(TIMEOUT.plusMillis(1));
		assertFails(Outcome.UNKNOWN);
		assertThat(isHeld()).isTrue();
	}

	@Test
	void aRequestWhoseAnswerIsLostIsExecuted() {
		this.faults.answersLost();
		assertFails(Outcome.UNKNOWN);
		assertThat(isHeld()).isTrue();
	}

	@Test
	void faultsEnd() {
		this.faults.storeDown();
		this.faults.heal();
		acquire();
		assertThat(isHeld()).isTrue();
	}

	private void assertFails(Outcome outcome) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this::acquire)
			.satisfies((ex) -> assertThat(ex.getOutcome()).isEqualTo(outcome))
			.withMessageContaining("'order:42'")
			.withMessageContaining("because a test simulates this");
	}

	private void acquire() {
		LockOwner owner = new LockOwner("orders", "1", "localhost", 1, "main");
		this.faults.acquire(Claim.of(ID, owner, Duration.ofSeconds(30)), TIMEOUT);
	}

	private boolean isHeld() {
		return this.store.find(ID.key(), TIMEOUT)
			.map(StoredLock::liveHolders)
			.filter((all) -> !all.isEmpty())
			.isPresent();
	}

}
