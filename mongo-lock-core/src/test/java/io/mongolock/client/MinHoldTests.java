package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks that stay taken for a while after their holder is done.
 */
@Timeout(60)
class MinHoldTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockRequest KEPT = LockRequest.builder("k").minHold(HOUR).build();

	private final ScriptedStore store = new ScriptedStore();

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(new LockListener() {

				@Override
				public void onReleased(LockHandle handle, Duration keptFor) {
					MinHoldTests.this.heard.add(handle.key() + ((isWhatIsLeft(keptFor)) ? " is kept" : " is free"));
				}

			})));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void aReleaseLeavesWhatIsLeftToTheLeaseAndTheCallerDoesNotWait() {
		assertThat(this.template.<String, RuntimeException>execute(KEPT, (handle) -> "done")).isEqualTo("done");
		assertThat(isWhatIsLeft(this.store.kept.get("k"))).isTrue();
		assertThat(this.store.holder("k")).isPresent();
		assertThat(this.store.count("release")).isZero();
		assertThat(this.template.held()).as("renewed").isZero();
		this.template.execute(LockRequest.of("other"), (handle) -> null);
		Awaitility.await().untilAsserted(() -> assertThat(this.heard).containsExactly("k is kept", "other is free"));
	}

	@Test
	void itIsKeptAlsoIfTheWorkFails() {
		assertThatIllegalStateException().isThrownBy(() -> this.template.execute(KEPT, (handle) -> {
			throw new IllegalStateException("mine");
		}));
		assertThat(this.store.kept).containsOnlyKeys("k");
	}

	@Test
	void thoseOfThisJvmAskTheStoreAsAllOthers() {
		this.template.execute(KEPT, (handle) -> null);
		assertThat(this.template.tryAcquire(LockRequest.of("k"))).isEmpty();
		assertThat(this.store.count("acquire")).isEqualTo(2);
		this.store.forget("k");
		assertThat(this.template.tryAcquire(LockRequest.of("k"))).isPresent();
	}

	@Test
	void theLastOfThoseWhoShareItReleases() {
		this.template.execute(KEPT, (outer) -> {
			this.template.execute(KEPT, (inner) -> null);
			assertThat(this.store.kept).isEmpty();
			return null;
		});
		assertThat(this.store.kept).containsOnlyKeys("k");
		assertThat(this.store.count("expire")).isOne();
	}

	@Test
	void insideATransactionItIsKeptFromItsEndOn() {
		new TransactionTemplate(new NoTransactions()).executeWithoutResult((status) -> {
			this.template.execute(KEPT, (handle) -> null);
			assertThat(this.store.kept).isEmpty();
		});
		assertThat(this.store.kept).containsOnlyKeys("k");
	}

	@Test
	void aReleaseThatFailsIsTriedAgainUntilTheLockIsKept() {
		this.store.nextFails("expire", Outcome.NOT_EXECUTED, false);
		this.store.nextFails("expire", Outcome.UNKNOWN, false);
		this.template.execute(KEPT, (handle) -> null);
		Awaitility.await().until(() -> this.store.kept.containsKey("k"));
		assertThat(isWhatIsLeft(this.store.kept.get("k"))).isTrue();
		assertThat(this.store.count("release")).isZero();
	}

	@Test
	void aStopKeepsWhatHasToStayTakenForLongerThanItsMargin() {
		this.template.acquire(KEPT);
		this.template.acquire(LockRequest.of("other"));
		this.template.stop(Duration.ofSeconds(10));
		assertThat(isWhatIsLeft(this.store.kept.get("k"))).isTrue();
		assertThat(this.store.kept.get("other")).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
	}

	private static boolean isWhatIsLeft(Duration keptFor) {
		return keptFor.compareTo(HOUR.minusMinutes(2)) > 0 && keptFor.compareTo(HOUR) <= 0;
	}

}
