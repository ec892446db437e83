package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 81: the next in the queue is called, and cannot ask: its thread stands still, or
 * the threads for requests are taken by others.
 */
@Timeout(120)
class StandstillRowsTests {

	private static final Duration PLACE_TTL = Duration.ofMillis(1500);

	private final Standstill clock = new Standstill();

	@AutoClose
	private final Harness harness = Harness.onAnyServer();

	@Test
	@ShowsRow(value = 81, level = Level.SERVER)
	void aWaiterWhoseThreadStandsStillHoldsUpOthersForTheLifeOfItsPlace(RowFigures figures) {
		LockTemplate standing = new LockTemplate(this.harness.store(),
				new ClientOptions(
						new ConfiguredSettings(HarnessClient.settings(Harness.LONG, Duration.ofMinutes(2)), Map.of()),
						new LockOwner("rows", "standing", "localhost", 1, ""), this.clock, List.of())
					.withPlaceTtl(PLACE_TTL));
		standing.start();
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle held = this.harness.direct(Harness.LONG).acquire();
		CompletableFuture<LockHandle> first = new CompletableFuture<>();
		Daemon.start("waiter", () -> {
			this.clock.stands = Thread.currentThread();
			try {
				first.complete(standing.acquire(LockRequest.of(Harness.KEY)));
			}
			catch (RuntimeException ex) {
				first.completeExceptionally(ex);
			}
		});
		awaitInQueue(1);
		this.clock.begins.countDown();
		CompletableFuture<LockHandle> second = other.acquireAsync();
		awaitInQueue(2);
		held.close();
		long released = System.nanoTime();
		assertThat(second).succeedsWithin(Harness.LONG);
		long waited = System.nanoTime() - released;
		assertThat(first).isNotDone();
		second.join().close();
		this.clock.ends.countDown();
		standing.stop(Duration.ofSeconds(5));
		figures.server(this.harness.label())
			.add("granted after the release", Harness.millis(waited))
			.add("life of a place", Harness.millis(PLACE_TTL.toNanos()));
	}

	@Test
	@ShowsRow(value = 81, level = Level.SERVER)
	void aClaimThatIsCalledDoesNotWaitForThoseOfBlockedDocuments(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Duration.ofMinutes(1));
		LockHandle held = this.harness.direct(Harness.LONG).acquire();
		CompletableFuture<LockHandle> called = client.acquireAsync();
		awaitInQueue(1);
		this.harness.claims().when(StandstillRowsTests::isBlocked).holdAllRequests();
		List<CompletableFuture<LockHandle>> blocked = new ArrayList<>();
		for (int i = 0; i < 960; i++) {
			blocked.add(client.locks().acquireAsync(LockRequest.of("blocked:" + i)));
		}
		held.close();
		long released = System.nanoTime();
		assertThat(called).succeedsWithin(Harness.LONG);
		long waited = System.nanoTime() - released;
		// In the order of coming it would be 0.75 s for each 32 of them
		assertThat(Duration.ofNanos(waited)).isLessThan(Duration.ofSeconds(15));
		blocked.forEach((claim) -> claim.cancel(false));
		figures.server(this.harness.label())
			.add("blocked documents", blocked.size())
			.add("granted after the release", Harness.millis(waited));
	}

	@Test
	@ShowsRow(value = 81, level = Level.SERVER)
	void claimsOfOneBlockedDocumentDoNotTakeTheThreadsOfOthers(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Duration.ofMinutes(1));
		this.harness.claims().when(StandstillRowsTests::isBlocked).holdAllRequests();
		List<CompletableFuture<LockHandle>> blocked = new ArrayList<>();
		for (int i = 0; i < 320; i++) {
			blocked.add(client.locks().acquireAsync(LockRequest.builder("blocked").waitTimeout(Duration.ZERO).build()));
		}
		long start = System.nanoTime();
		CompletableFuture<LockHandle> free = client.acquireAsync();
		assertThat(free).succeedsWithin(Harness.LONG);
		long waited = System.nanoTime() - start;
		assertThat(Duration.ofNanos(waited)).isLessThan(Duration.ofSeconds(15));
		blocked.forEach((claim) -> claim.cancel(false));
		figures.server(this.harness.label())
			.add("claims of one blocked document", blocked.size())
			.add("another granted within", Harness.millis(waited));
	}

	private void awaitInQueue(int number) {
		await().atMost(Harness.LONG)
			.until(() -> this.harness.stored().filter((lock) -> lock.queue().size() == number).isPresent());
	}

	private static boolean isBlocked(BsonDocument command) {
		return command.getDocument("query").getString("_id").getValue().startsWith("blocked");
	}

	/**
	 * A clock that a thread stands still at, from the begin to the end.
	 */
	private static final class Standstill implements LockClock {

		private final CountDownLatch begins = new CountDownLatch(1);

		private final CountDownLatch ends = new CountDownLatch(1);

		private volatile @Nullable Thread stands;

		@Override
		public long nanoTime() {
			stand();
			return LockClock.system().nanoTime();
		}

		@Override
		public long currentTimeMillis() {
			stand();
			return LockClock.system().currentTimeMillis();
		}

		private void stand() {
			if (Thread.currentThread() == this.stands && this.begins.getCount() == 0) {
				try {
					this.ends.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		}

	}

}
