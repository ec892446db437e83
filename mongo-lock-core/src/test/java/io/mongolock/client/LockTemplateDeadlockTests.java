package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.store.GrantId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockTemplate}: what a wait says of the locks that its caller holds,
 * and looks for deadlocks.
 */
@Timeout(120)
class LockTemplateDeadlockTests extends AbstractLockTemplateTests {

	private static final LockRequest LONG = LockRequest.builder("k").waitTimeout(Duration.ofDays(1)).build();

	private final LockTemplate other = otherClient();

	@Test
	void aPlaceNamesNoMoreThanTheInnermostEightLocks() {
		List<String> keys = IntStream.range(0, 10).mapToObj((at) -> "held" + at).toList();
		assertThat(holdsOfAWaiterUnder(keys)).containsExactly("held9", "held8", "held7", "held6", "held5", "held4",
				"held3", "held2");
	}

	@Test
	void aPlaceHasNoMoreThan512BytesOfKeys() {
		List<String> keys = List.of("short", "ä".repeat(100), "b".repeat(160), "c".repeat(150));
		assertThat(holdsOfAWaiterUnder(keys)).as("from the innermost on")
			.containsExactly(keys.get(3), keys.get(2), keys.get(1));
		assertThat(holdsOfAWaiterUnder(List.of("outer", "ä".repeat(101), "b".repeat(160), "c".repeat(151))))
			.as("without the one that does not fit")
			.containsExactly("c".repeat(151), "b".repeat(160), "outer");
	}

	@Test
	void aPlaceNamesTheLocksThatATransactionKeepsTheLatestFirst() {
		this.other.acquire(LockRequest.of("k"));
		TransactionTemplate transaction = new TransactionTemplate(new NoTransactions());
		Future<?> waiting = this.others.submit(() -> transaction.execute((status) -> {
			this.template.acquire(LockRequest.of("first")).close();
			this.template.acquire(LockRequest.of("second")).close();
			return this.template.execute(LONG, LockHandle::fence);
		}));
		awaitPlace();
		assertThat(this.store.lastClaim().holds()).extracting(GrantId::key).containsExactly("second", "first");
		waiting.cancel(true);
	}

	@Test
	void aLockThatIsPassedOnToAnotherThreadIsNotHeldByIt() {
		this.other.acquire(LockRequest.of("k"));
		Future<?> waiting = this.template.execute(LockRequest.of("held"), (handle) -> {
			Future<?> passedOn = this.others.submit(() -> {
				LockContext.Scope scope = LockContext.enter(handle);
				try {
					return this.template.execute(LONG, LockHandle::fence);
				}
				finally {
					scope.close();
				}
			});
			awaitPlace();
			return passedOn;
		});
		assertThat(this.store.lastClaim().holds()).isEmpty();
		waiting.cancel(true);
	}

	@Test
	void anEndedAttemptIsNoLongerLookedFor() {
		this.other.acquire(LockRequest.of("k"));
		Future<?> first = waitUnder(List.of("first"));
		lookUntil("queues first on mongo-lock-deadlock");
		first.cancel(true);
		Awaitility.await().until(() -> this.template.waiting("k") == 0 && this.template.held() == 0);
		waitUnder(List.of("second"));
		lookUntil("queues second on mongo-lock-deadlock");
	}

	@Test
	void aLookThatHangsHoldsUpNoStop() {
		this.other.acquire(LockRequest.of("k"));
		CountDownLatch end = new CountDownLatch(1);
		this.store.next("queues", (look) -> await(end));
		waitUnder(List.of("held"));
		lookUntil("queues held on mongo-lock-deadlock");
		this.template.stop(Duration.ofDays(1));
		assertThat(end.getCount()).as("hangs until now").isOne();
		end.countDown();
	}

	private List<String> holdsOfAWaiterUnder(List<String> keys) {
		LockHandle denied = this.other.acquire(LockRequest.of("k"));
		Future<?> waiting = waitUnder(keys);
		awaitPlace();
		List<GrantId> holds = this.store.lastClaim().holds();
		assertThat(holds).allMatch((hold) -> this.store.holder(hold.key()).orElseThrow().fence() == hold.fence());
		waiting.cancel(true);
		Awaitility.await().until(() -> this.template.waiting("k") == 0 && this.template.held() == 0);
		denied.close();
		return holds.stream().map(GrantId::key).toList();
	}

	private Future<?> waitUnder(List<String> keys) {
		return this.others.submit(() -> waitUnderAll(keys));
	}

	private Object waitUnderAll(List<String> keys) {
		return (keys.isEmpty()) ? this.template.execute(LONG, LockHandle::fence) : this.template
			.execute(LockRequest.of(keys.get(0)), (handle) -> waitUnderAll(keys.subList(1, keys.size())));
	}

	private void awaitPlace() {
		Awaitility.await()
			.until(() -> this.store.lastClaim().id().key().equals("k") && this.store.lastClaim().waiting());
	}

	private void lookUntil(String asked) {
		Awaitility.await().until(() -> {
			this.clock.step(Duration.ofMillis(200));
			return this.store.count(asked) > 0;
		});
	}

}
