package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;

import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OrphanReleaser}.
 */
@Timeout(60)
class OrphanReleaserTests {

	@Test
	void aPlaceThatCannotBeLeftKeepsNoLockTaken() {
		LockSettings settings = LockSettings.builder()
			.retryInterval(Duration.ofMillis(10))
			.waitTimeout(Duration.ofMinutes(10))
			.build();
		CountDownLatch inQueue = new CountDownLatch(1);
		CountDownLatch left = new CountDownLatch(1);
		ScriptedStore failing = new ScriptedStore() {

			@Override
			public ClaimAnswer acquire(Claim claim, Duration timeout) {
				if (claim.placeTtl() != null) {
					inQueue.countDown();
				}
				throw new LockStoreException(claim.id().key(), Outcome.UNKNOWN, "by script", null);
			}

			@Override
			public boolean leave(LeaseId claim, Duration timeout) {
				left.countDown();
				throw new LockStoreException(claim.key(), Outcome.UNKNOWN, "by script", null);
			}

		};
		LockTemplate claiming = new LockTemplate(failing, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
		CompletableFuture<LockHandle> claim = claiming
			.acquireAsync(LockRequest.builder("a").settings(settings).build());
		await().until(() -> inQueue.getCount() == 0);
		claim.cancel(false);
		await().until(() -> failing.count("release") > 0 && left.getCount() == 0);
		claiming.stop(Duration.ofSeconds(1));
	}

}
