package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Rows 37, 38 and 51: what callers do with their threads and handles.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class CallerRowsTests {

	private static final LockRequest REQUEST = LockRequest.of(Harness.KEY);

	@AutoClose
	private final Harness harness = Harness.embedded();

	private final HarnessClient client = this.harness.behindProxy(Harness.LONG, Harness.LONG);

	@Test
	@ShowsRow(value = 37, level = Level.PROXY)
	void anInterruptEndsTheWaitAndStaysSet(RowFigures figures) {
		LockHandle held = this.harness.direct(Harness.LONG).acquire();
		int before = this.harness.proxy().requests("findAndModify");
		AtomicBoolean entered = new AtomicBoolean();
		Caller caller = new Caller((locks) -> locks.execute(REQUEST, (handle) -> entered.getAndSet(true)));
		this.harness.proxy().awaitRequests("findAndModify", before + 2, Harness.LONG);
		assertThat(caller.interruptAndAwait()).isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("was interrupted after");
		assertThat(entered).isFalse();
		Expect.heldBy(held, this.harness.holders());
		figures.server(this.harness.label()).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 37, level = Level.PROXY)
	void anInterruptOfTheClaimItselfLeavesNoOrphan(RowFigures figures) {
		Hold hold = this.harness.claims().holdRequest();
		Caller caller = new Caller((locks) -> locks.acquire(REQUEST));
		hold.awaitHeld(Harness.LONG);
		caller.interruptAndAwait();
		this.harness.deliver(hold, "findAndModify");
		Expect.grantedToNobody(this.harness);
		figures.server(this.harness.label()).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 37, level = Level.PROXY)
	void anInterruptDuringTheWorkKeepsNobodyFromReleasing(RowFigures figures) {
		Caller caller = new Caller((locks) -> locks.execute(REQUEST, (handle) -> {
			Thread.currentThread().interrupt();
			return handle;
		}));
		assertThat(caller.await()).isNull();
		this.harness.awaitFree();
		figures.server(this.harness.label()).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 37, level = Level.PROXY)
	void anInterruptDuringTheReleaseLeavesNoOrphan(RowFigures figures) {
		LockHandle handle = this.client.acquire();
		Hold hold = this.harness.releases().holdRequest();
		Caller caller = new Caller((locks) -> handle.close());
		hold.awaitHeld(Harness.LONG);
		assertThat(caller.interruptAndAwait()).isNull();
		this.harness.awaitFree();
		hold.release();
		figures.server(this.harness.label()).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 38, level = Level.UNIT)
	void aNestedCallSharesTheLockAndOnlyTheOutermostGivesItBack(RowFigures figures) {
		int before = this.harness.proxy().requests("findAndModify");
		LockTemplate locks = this.client.locks();
		locks.execute(REQUEST, (outer) -> {
			long fence = locks.execute(REQUEST, LockHandle::fence);
			assertThat(fence).isEqualTo(outer.fence());
			assertThat(this.harness.holders()).hasSize(1);
			locks.execute(LockRequest.of("order:2"), (second) -> {
				assertThat(second.isHeld()).isTrue();
				return fence;
			});
			outer.assertHeld();
			return fence;
		});
		assertThat(this.harness.holders()).isEmpty();
		figures.server(this.harness.label()).add("requests", this.harness.proxy().requests("findAndModify") - before);
		assertThat(this.harness.proxy().requests("findAndModify") - before).as("two claims and two releases")
			.isEqualTo(4);
	}

	@Test
	@ShowsRow(value = 38, level = Level.UNIT)
	void aHandleClosedTwiceDoesNotFreeTheNextHolder(RowFigures figures) {
		LockHandle handle = this.client.acquire();
		Daemon.run(handle::close).join();
		LockHandle next = this.harness.direct(Harness.LONG).acquire();
		handle.close();
		assertThatIllegalStateException().isThrownBy(handle::assertHeld);
		Expect.heldBy(next, this.harness.holders());
		next.renew();
		figures.server(this.harness.label()).add("foreign frees", 0);
	}

	@Test
	@ShowsRow(value = 51, level = Level.SERVER)
	void aHandleThatIsDroppedIsReleased(RowFigures figures) {
		LockTemplate careless = new LockTemplate(this.harness.store(),
				new ClientOptions(new ConfiguredSettings(HarnessClient.settings(Harness.LONG, Duration.ZERO), Map.of()),
						new LockOwner("careless", "1", "", 1, ""), LockClock.system(), List.of())
					.withLeakDetection(LeakDetection.RELEASE));
		careless.acquire(REQUEST);
		await().atMost(Harness.LONG).until(() -> {
			System.gc();
			return this.harness.holders().isEmpty();
		});
		careless.stop(Duration.ofSeconds(1));
		figures.server(this.harness.label()).add("released", 1);
	}

	/**
	 * A thread that ends with its interrupt still set, because that is what each test
	 * shows.
	 */
	private final class Caller {

		private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

		private final AtomicBoolean interrupted = new AtomicBoolean();

		private final Thread thread;

		private Caller(Consumer<LockTemplate> call) {
			this.thread = new Thread(() -> {
				Throwable thrown = catchThrowable(() -> call.accept(CallerRowsTests.this.client.locks()));
				this.interrupted.set(Thread.currentThread().isInterrupted());
				this.failure.complete(thrown);
			}, "caller");
			this.thread.start();
		}

		private Throwable interruptAndAwait() {
			this.thread.interrupt();
			return await();
		}

		private Throwable await() {
			assertThat(this.failure).succeedsWithin(Harness.LONG);
			assertThat(this.interrupted).as("interrupt still set").isTrue();
			return this.failure.join();
		}

	}

}
