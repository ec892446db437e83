package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A document that is blocked holds up nothing but itself.
 */
@Timeout(60)
class BlockedDocumentTests {

	private final BlockingStore store = new BlockingStore();

	private final List<String> failed = new CopyOnWriteArrayList<>();

	private final LockTemplate template = client();

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofMillis(1));
	}

	@Test
	void atAStopAllOthersAreFreeWhileItIsWaitedFor() {
		acquire(600, "k");
		this.store.block("k0");
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.holders() == 1);
		assertThat(stop).as("waits for the one that is blocked").isNotDone();
		this.store.free("k0");
		stop.join();
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void ofThoseThatHaveToStayTakenAllOthersDoAsLongAsTheyHaveTo() {
		for (int i = 0; i < 40; i++) {
			this.template.acquire(LockRequest.builder("k" + i).minHold(Duration.ofMinutes(1)).build());
		}
		this.store.block("k0");
		acquire(40, "free");
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.kept.size() == 39 && this.store.holders() == 40);
		this.store.free("k0");
		stop.join();
		assertThat(this.store.kept).hasSize(40);
	}

	@Test
	void manyOfThemHoldUpNothingButThemselves() {
		acquire(500, "k");
		for (int i = 0; i < 500; i += 25) {
			this.store.block("k" + i);
		}
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.holders() == 20);
		for (int i = 0; i < 500; i += 25) {
			this.store.free("k" + i);
		}
		stop.join();
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void atAStopPlacesAreLeftWhileItIsWaitedFor() {
		LockTemplate other = client();
		other.acquire(LockRequest.of("others"));
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(LockRequest.of("others"));
		await().until(() -> this.store.count("acquire others") > 2);
		acquire(2, "k");
		this.store.block("k0");
		CompletableFuture<Void> stop = stopWithin(Duration.ofSeconds(30));
		await().until(() -> this.store.left.contains("others"));
		assertThat(stop).isNotDone();
		assertThat(waiting).isCompletedExceptionally();
		this.store.free("k0");
		stop.join();
		other.stop(Duration.ofSeconds(1));
	}

	@Test
	void whatStaysBlockedUntilTheEndIsAllThatIsReported() {
		acquire(40, "k");
		this.store.block("k7");
		stopWithin(Duration.ofSeconds(2)).join();
		await().until(() -> !this.failed.isEmpty());
		assertThat(this.failed).containsExactly("k7");
	}

	@Test
	void aStopWithoutTroubleSendsOneRequest() {
		acquire(40, "k");
		this.template.stop(Duration.ofSeconds(30));
		assertThat(this.store.holders()).isZero();
		assertThat(this.store.count("release all 40")).isOne();
		assertThat(this.store.hung).isEmpty();
	}

	private LockTemplate client() {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(new LockListener() {

					@Override
					public void onReleaseFailed(LockHandle handle, Throwable failure) {
						BlockedDocumentTests.this.failed.add(handle.key());
					}

				})));
	}

	private void acquire(int count, String prefix) {
		for (int i = 0; i < count; i++) {
			LockHandle handle = this.template.acquire(LockRequest.of(prefix + i));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	private CompletableFuture<Void> stopWithin(Duration budget) {
		return CompletableFuture.runAsync(() -> this.template.stop(budget));
	}

}
