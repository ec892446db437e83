package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 25 and 26: the clock of the server is set while a lock is held.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ServerClockRowsTests {

	private Harness harness;

	@AfterEach
	void stop() {
		if (this.harness != null) {
			this.harness.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 25, level = Level.SERVER)
	void aClockSetForwardByLessThanTheMarginOverlapsNobody(Server server, RowFigures figures) {
		start(server);
		HarnessClient client = this.harness.direct(Duration.ofSeconds(10));
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		this.harness.clock().step(Duration.ofMillis(600));
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(this.harness.label()));
		assertThat(other.heard().steps()).isEmpty();
		figures.add("step", "600 ms of a margin of 2000 ms").add("overlap", "0 ms");
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 25, level = Level.SERVER)
	void aClockSetForwardByOneMinuteOverlapsUntilTheNextRenewalAndTheFenceTells(Server server, RowFigures figures) {
		start(server);
		HarnessClient client = this.harness.direct(Harness.LONG);
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		this.harness.clock().step(Duration.ofMinutes(1));
		LockHandle next = other.tryAcquire().orElseThrow();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		assertThat(handle.isHeld()).as("overlap").isTrue();
		assertTold(other, Duration.ofMinutes(1));
		Expect.lost(handle::renew);
		assertThat(client.heard().awaitLoss().reason()).isEqualTo(LossReason.REFUSED);
		Expect.lost(handle::close);
		next.renew();
		assertThat(other.heard().takenOver()).hasSize(1);
		figures.server(this.harness.label()).add("overlap", "until the next renewal").add("fence", "rose");
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 26, level = Level.SERVER)
	void aClockSetBackByOneMinuteDelaysTheTakeOverByThatAndNoMore(Server server, RowFigures figures) {
		start(server);
		HarnessClient dead = this.harness.direct(Duration.ofSeconds(6));
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle handle = dead.acquireUnrenewed();
		this.harness.clock().step(Duration.ofMinutes(-1));
		dead.heard().awaitLoss();
		assertThat(other.tryAcquire()).as("not before the server's ttl").isEmpty();
		assertTold(other, Duration.ofMinutes(-1));
		this.harness.clock().step(Duration.ofMinutes(1).plusSeconds(6));
		LockHandle next = other.tryAcquire().orElseThrow();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.harness.label()).add("take-over", "at most 60 s late").add("overlap", "0 ms");
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 26, level = Level.SERVER)
	void aHolderRenewsOnWhenTheClockIsSetBackAndTheNextFenceIsHigher(Server server, RowFigures figures) {
		start(server);
		HarnessClient client = this.harness.direct(Duration.ofSeconds(6));
		LockHandle handle = client.acquire();
		this.harness.clock().step(Duration.ofMinutes(-1));
		handle.renew();
		assertThat(handle.isHeld()).isTrue();
		assertThat(this.harness.stored().orElseThrow().liveHolders()).hasSize(1);
		handle.close();
		LockHandle next = client.acquire();
		assertThat(next.fence()).isGreaterThan(handle.fence());
		figures.server(this.harness.label()).add("lost", client.heard().losses().size());
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 26, level = Level.SERVER)
	void stepsWithinTheMarginUnderLoadCostNoLockAndOverlapNobody(Server server, RowFigures figures) {
		start(server);
		HarnessClient holder = this.harness.direct(Harness.LONG);
		List<LockHandle> held = IntStream.range(0, 24)
			.mapToObj((i) -> holder.locks().acquire(LockRequest.of("held", i)))
			.toList();
		List<HarnessClient> clients = IntStream.range(0, 4).mapToObj((i) -> this.harness.direct(Harness.LONG)).toList();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		AtomicInteger sections = new AtomicInteger();
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<Void>> workers = IntStream.range(0, 16).mapToObj((i) -> Daemon.run(() -> {
			while (!over.get()) {
				clients.get(i % 4).locks().execute(LockRequest.of("load"), (handle) -> {
					overlaps.addAndGet(inside.getAndIncrement());
					inside.decrementAndGet();
					return sections.incrementAndGet();
				});
			}
		})).toList();
		for (Duration step : Collections.nCopies(5, Duration.ofSeconds(4))) {
			for (Duration each : List.of(step, step.negated())) {
				int before = sections.get();
				this.harness.clock().step(each);
				await().atMost(Harness.LONG).until(() -> sections.get() > before + 100);
			}
		}
		over.set(true);
		workers.forEach((worker) -> assertThat(worker).succeedsWithin(Harness.LONG));
		assertThat(overlaps).hasValue(0);
		assertThat(held).allMatch(LockHandle::isHeld);
		figures.server(this.harness.label())
			.add("steps", "10 of 4 s")
			.add("margin", "6 s")
			.add("sections", sections.get())
			.add("overlaps", 0)
			.add("lost of 24 held", 0);
	}

	private static void assertTold(HarnessClient client, Duration step) {
		await().atMost(Harness.LONG).until(() -> !client.heard().steps().isEmpty());
		// What passed while the requests were on their way is not known
		assertThat(client.heard().steps().get(0)).isCloseTo(step, Duration.ofSeconds(5));
	}

	private void start(Server server) {
		this.harness = server.start.get();
	}

	enum Server {

		EMBEDDED(Harness::embedded), REAL(Harness::onRealClock), SET(Harness::onClockOfPrimary);

		private final Supplier<Harness> start;

		Server(Supplier<Harness> start) {
			this.start = start;
		}

	}

}
