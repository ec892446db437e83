package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.AbstractLockTemplateTests.SteppedClock;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.RecentReleases;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.StoreServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ReleaseSender}: what it does when the primary has changed.
 */
@Timeout(60)
class ReleaseSenderTests {

	private final Elections elections = new Elections();

	private final BlockingStore store = new BlockingStore() {

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			super.release(lease, timeout);
			// Whatever becomes of it later
			return new ReleaseAnswer(true, false);
		}

		@Override
		public StoreServers servers() {
			return ReleaseSenderTests.this.elections;
		}

	};

	private final SteppedClock clock = new SteppedClock();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), this.clock, List.of()));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void releasesUndoneByAFailoverAreRepeatedInOneRequest() {
		// As if the primary that answers were alone to know
		this.store.next("release", (request) -> {
		});
		this.store.next("release", (request) -> {
		});
		this.template.acquire(LockRequest.of("a")).close();
		this.template.acquire(LockRequest.of("b")).close();
		LockHandle held = this.template.acquire(LockRequest.of("held"));
		assertThat(this.store.holders()).isEqualTo(3);
		this.elections.elect();
		await().until(() -> this.store.holders() == 1);
		assertThat(this.store.count("release all 2")).isPositive();
		assertThat(held.isHeld()).isTrue();
	}

	@Test
	void aReleaseThatIsUnderwayAtTheElectionIsRepeated() {
		this.template.acquire(LockRequest.of("a")).close();
		this.store.next("release", (request) -> {
			this.elections.elect();
			// At once, and a second later
			await().until(() -> this.store.count("release all 1") == 2);
		});
		this.template.acquire(LockRequest.of("b")).close();
		await().until(() -> this.store.holders() == 0);
	}

	@Test
	void butNotBeforeItIsAnswered() {
		this.template.acquire(LockRequest.of("a")).close();
		this.store.next("release", (request) -> {
			this.elections.elect();
			await().until(() -> this.store.count("release all") == 1);
			assertThat(this.store.count("release all 1")).as("a alone").isOne();
		});
		this.template.acquire(LockRequest.of("b")).close();
		await().until(() -> this.store.count("release all 2") != 0);
	}

	@Test
	void aReleaseSentToTheOldPrimaryAfterTheElectionIsRepeatedToo() {
		this.store.next("release", (request) -> {
		});
		this.template.acquire(LockRequest.of("a")).close();
		LockHandle late = this.template.acquire(LockRequest.of("late"));
		this.elections.elect();
		await().until(() -> this.store.holders() == 1);
		this.store.next("release", (request) -> {
		});
		late.close();
		await().until(() -> this.store.holders() == 0);
	}

	@Test
	void aReleaseUndoneByAFailoverIsRepeatedWhileTheApplicationEnds() {
		this.store.next("release", (request) -> {
		});
		LockHandle held = this.template.acquire(LockRequest.of("a"));
		this.template.stopClaims(Duration.ofSeconds(10));
		held.close();
		assertThat(this.store.holders()).isOne();
		this.elections.elect();
		await().until(() -> this.store.holders() == 0);
	}

	@Test
	void aRequestThatFailsSoonAfterTheElectionIsRepeated() {
		this.store.next("release", (request) -> {
		});
		this.template.acquire(LockRequest.of("a")).close();
		this.store.nextFails("release", Outcome.UNKNOWN, false);
		this.elections.elect();
		await().until(() -> this.store.holders() == 0);
		assertThat(this.store.count("release all 1")).isEqualTo(2);
	}

	@Test
	void aRepeatGoesOnUntilTheStoreAnswersHoweverLongThatTakes() {
		this.store.next("release", (request) -> {
		});
		this.template.acquire(LockRequest.of("a")).close();
		for (int i = 0; i < 3; i++) {
			this.store.nextFails("release", Outcome.UNKNOWN, false);
		}
		this.elections.elect();
		await().until(() -> this.store.count("release all 1") == 2);
		this.clock.step(RecentReleases.WINDOW.plusSeconds(10));
		await().until(() -> this.store.holders() == 0);
		assertThat(this.store.count("release all 1")).isEqualTo(4);
	}

	@Test
	void aBlockedDocumentKeepsNoOtherReleaseFromBeingRepeated() {
		for (int i = 0; i < 40; i++) {
			this.store.next("release", (request) -> {
			});
			this.template.acquire(LockRequest.of("k" + i)).close();
		}
		assertThat(this.store.holders()).isEqualTo(40);
		this.store.patience = DividedEnding.PATIENCE;
		this.store.block("k0");
		this.elections.elect();
		await().until(() -> this.store.holders() == 1);
		this.store.free("k0");
		await().until(() -> this.store.holders() == 0);
	}

	@Test
	void noRequestBeginsAfterTheStop() throws InterruptedException {
		for (int i = 0; i < 1001; i++) {
			this.template.acquire(LockRequest.of("k" + i)).close();
		}
		CountDownLatch stopped = new CountDownLatch(1);
		CompletableFuture<Thread> repeating = new CompletableFuture<>();
		this.store.next("release", (request) -> {
			repeating.complete(Thread.currentThread());
			await().until(() -> stopped.getCount() == 0);
		});
		this.elections.elect();
		Thread thread = repeating.join();
		this.template.stop(Duration.ofMillis(1));
		stopped.countDown();
		thread.join();
		assertThat(this.store.requests).as("of two, the second had not begun")
			.filteredOn((request) -> request.startsWith("release all 1 from"))
			.isEmpty();
	}

	@Test
	void aRenewalThatHangsIsAskedOfTheNextPrimaryAtOnce() {
		CountDownLatch hangs = new CountDownLatch(1);
		this.store.next("renew", (request) -> await().forever().until(() -> hangs.getCount() == 0));
		LockHandle held = this.template.acquire(LockRequest.builder("a")
			.settings(LockSettings.builder()
				.ttl(Duration.ofHours(1))
				.renewInterval(Duration.ofMillis(10))
				.operationTimeout(Duration.ofMinutes(10))
				.build())
			.build());
		await().until(() -> this.store.count("renew") == 1);
		this.elections.elect();
		await().until(() -> this.store.count("renew") > 1);
		assertThat(held.isHeld()).isTrue();
		hangs.countDown();
	}

	@Test
	void anElectionStartsNoThreadOfAClientThatDoesNotRun() {
		Set<Thread> before = timers();
		this.elections.elect();
		assertThat(timers()).isSubsetOf(before);
	}

	private static Set<Thread> timers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("mongo-lock-timer"))
			.collect(Collectors.toSet());
	}

	private static final class Elections implements StoreServers {

		private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

		@Override
		public void onPrimaryChange(Runnable listener) {
			this.listeners.add(listener);
		}

		void elect() {
			this.listeners.forEach(Runnable::run);
		}

	}

}
