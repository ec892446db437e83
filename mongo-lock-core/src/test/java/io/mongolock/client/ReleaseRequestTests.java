package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.ReleaseRequest;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.Lease;
import io.mongolock.core.LockTerms;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for holders that are asked to release their locks.
 */
@Timeout(60)
class ReleaseRequestTests {

	private static final LockRequest REQUEST = LockRequest.of("k");

	private final AskedStore store = new AskedStore();

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final LockTemplate template = new LockTemplate(this.store,
			new ClientOptions(
					new ConfiguredSettings(LockSettings.builder()
						.ttl(Duration.ofMinutes(30))
						.renewInterval(Duration.ofMillis(20))
						.waitTimeout(Duration.ofMinutes(10))
						.build(), Map.of()),
					new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(listener()))
				.withLeakDetection(LeakDetection.OFF)
				.withHandOver(new HandOver(Duration.ofHours(1), 100)));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void theHolderHearsOfItOnceAfterARenewalAndKeepsTheLock() {
		LockHandle held = this.template.acquire(REQUEST);
		assertThat(held.releaseRequested()).isEmpty();
		assertThat(this.template.requestRelease("k", "deployment")).isEqualTo(1);
		Awaitility.await().until(() -> held.releaseRequested().isPresent() && !this.heard.isEmpty());
		long renewed = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > renewed + 3);
		assertThat(held.releaseRequested().orElseThrow().by()).startsWith("app");
		assertThat(this.heard).containsExactly("k: deployment");
		assertThat(held.isHeld()).isTrue();
	}

	@Test
	void aLockThatIsAskedForIsReleasedAndNotHandedOver() {
		LockHandle first = this.template.acquire(REQUEST);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(REQUEST);
		first.close();
		LockHandle turn = second.join();
		CompletableFuture<LockHandle> third = this.template.acquireAsync(REQUEST);
		this.template.requestRelease("k", "deployment");
		Awaitility.await().until(() -> turn.releaseRequested().isPresent());
		long acquired = this.store.count("acquire");
		this.store.request = null;
		turn.close();
		assertThat(third.join().releaseRequested()).isEmpty();
		assertThat(this.store.count("acquire")).isEqualTo(acquired + 1);
	}

	@Test
	void aLookThatFailsHarmsNoRenewal() {
		LockHandle held = this.template.acquire(REQUEST);
		this.store.fails = true;
		long renewed = this.store.count("renew");
		Awaitility.await().until(() -> this.store.count("renew") > renewed + 3);
		assertThat(held.isHeld()).isTrue();
		this.store.fails = false;
		this.template.requestRelease("k", "deployment");
		Awaitility.await().until(() -> held.releaseRequested().isPresent());
	}

	@Test
	void theHolderHearsOnWhoseBehalfItIsAsked() {
		LockHandle held = this.template.acquire(REQUEST);
		assertThat(this.template.requestRelease("k", "deployment", "alice")).isEqualTo(1);
		Awaitility.await().until(() -> held.releaseRequested().isPresent());
		assertThat(held.releaseRequested().orElseThrow().by()).isEqualTo("alice");
	}

	@Test
	void nobodyIsAskedWhereTheLockIsFree() {
		assertThat(this.template.requestRelease("k", "deployment")).isZero();
	}

	@Test
	void aReasonHasToBeSaidInShort() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.requestRelease("k", " "))
			.withMessageContaining("1 to 500");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.requestRelease("k", "x".repeat(501)))
			.withMessageContaining("501");
	}

	@Test
	void aLeaseThatComesDuringALookIsLookedAtAfterIt() throws InterruptedException {
		CountDownLatch underway = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		List<String> looked = new CopyOnWriteArrayList<>();
		LockStore slow = Mockito.mock();
		BDDMockito.given(slow.findAll(ArgumentMatchers.any(), ArgumentMatchers.any())).willAnswer((look) -> {
			looked.addAll(look.getArgument(0));
			underway.countDown();
			go.await();
			return List.of();
		});
		ReleaseRequestPoller requests = new ReleaseRequestPoller(slow,
				new LockEvents(List.of(), LockClock.system(), new ClientRuntime()::daemons));
		Thread first = new Thread(() -> requests.look(List.of(lease("a")), Duration.ofSeconds(3), () -> true));
		first.start();
		underway.await();
		requests.look(List.of(lease("b")), Duration.ofSeconds(3), () -> true);
		assertThat(looked).containsExactly("a");
		go.countDown();
		first.join();
		assertThat(looked).containsExactly("a", "b");
	}

	@Test
	void whenLeasesAreRenewedOftenThenTheLooksAreFewAndCoverAllOfThem() {
		List<List<String>> looks = new ArrayList<>();
		LockStore store = Mockito.mock();
		BDDMockito.given(store.findAll(ArgumentMatchers.any(), ArgumentMatchers.any())).willAnswer((look) -> {
			looks.add(List.copyOf(new TreeSet<>(look.<Collection<String>>getArgument(0))));
			return List.of();
		});
		ReleaseRequestPoller requests = new ReleaseRequestPoller(store,
				new LockEvents(List.of(), LockClock.system(), new ClientRuntime()::daemons));
		long second = 1_000_000_000;
		for (int i = 0; i < 16; i++) {
			requests.renewed(List.of(lease((i % 2 == 0) ? "a" : "b")), i * second, Duration.ofSeconds(3), () -> true);
		}
		assertThat(looks).containsExactly(List.of("a"), List.of("a", "b"));
	}

	@Test
	void nobodyLooksAfterTheStop() {
		LockStore untouched = Mockito.mock();
		ReleaseRequestPoller requests = new ReleaseRequestPoller(untouched,
				new LockEvents(List.of(), LockClock.system(), new ClientRuntime()::daemons));
		requests.look(List.of(lease("a")), Duration.ofSeconds(3), () -> false);
		// Nor at that after a start
		requests.look(List.of(), Duration.ofSeconds(3), () -> true);
		BDDMockito.then(untouched).shouldHaveNoInteractions();
	}

	private static Lease lease(String key) {
		return new Lease(new LeaseId(key, key), 1, LockTerms.of(LockSettings.NONE), ClockReading.of(LockClock.system()),
				(lost) -> {
				});
	}

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void onReleaseRequested(LockHandle handle, ReleaseRequest request) {
				ReleaseRequestTests.this.heard.add(handle.key() + ": " + request.reason());
			}

		};
	}

	private static final class AskedStore extends ScriptedStore {

		private volatile @Nullable ReleaseRequest request;

		private volatile boolean fails;

		@Override
		public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
			this.request = new ReleaseRequest(reason, by, Instant.EPOCH);
			return true;
		}

		@Override
		public List<StoredLock> findAll(List<String> keys, Duration timeout) {
			if (this.fails) {
				throw new LockStoreException(keys.get(0), Outcome.UNKNOWN, "find failed by script", null);
			}
			return keys.stream().flatMap((key) -> find(key, timeout).stream()).toList();
		}

		@Override
		public Optional<StoredLock> find(String key, Duration timeout) {
			return holder(key).map((one) -> new StoredLock(key,
					List.of(new StoredHolder(one.leaseToken(), one.fence(), one.limit(), one.owner(), one.acquiredAt(),
							one.renewedAt(), one.ttl(), this.request, false, one.linger(), "")),
					List.of(), List.of(), one.fence(), Instant.now()));
		}

	}

}
