package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 13 to 15 and 50: a server that is there and does not answer, or cannot be asked,
 * as the application uses all connections.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class SilenceRowsTests {

	private static final Duration OPERATION_TIMEOUT = Duration.ofMillis(1600);

	/** A margin in which a busy machine, too, tells a loss. */
	private static final LockSettings SETTINGS = LockSettings.builder()
		.ttl(Duration.ofSeconds(8))
		.margin(Duration.ofSeconds(3))
		.operationTimeout(OPERATION_TIMEOUT)
		.waitTimeout(Duration.ZERO)
		.build();

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 13, level = Level.PROXY)
	void aHolderWhoseServerFallsSilentIsToldBeforeTheNextGrant(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(SETTINGS);
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle handle = client.acquire();
		this.harness.proxy().blackhole();
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(this.harness.label()));
		long blocked = blocked(() -> assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> client.locks().acquire(LockRequest.of("order:2"))));
		figures.add("blocked", Harness.millis(blocked) + " with a timeout of " + OPERATION_TIMEOUT.toMillis() + " ms");
	}

	@Test
	@ShowsRow(value = 13, level = Level.PROXY)
	void aSilenceShorterThanTheLeaseCostsNothing(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Harness.LONG);
		LockSettings often = LockSettings.builder().renewInterval(Duration.ofMillis(500)).build();
		try (LockHandle handle = client.locks().acquire(LockRequest.builder(Harness.KEY).settings(often).build())) {
			Hold hold = this.harness.renewals().holdAllRequests();
			hold.awaitHeld(Harness.LONG);
			int before = this.harness.proxy().replies("update");
			this.harness.proxy().clear();
			hold.release();
			this.harness.proxy().awaitReplies("update", before + 2, Harness.LONG);
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(client.heard().losses()).isEmpty();
		figures.server(this.harness.label()).add("lost", 0);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("deadConnections")
	@ShowsRow(value = 14, level = Level.PROXY)
	void aHolderWhoseConnectionsDieIsToldBeforeTheNextGrant(Consumer<Harness> fault, RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(SETTINGS);
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle handle = client.acquire();
		fault.accept(this.harness);
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(this.harness.label()));
	}

	static Stream<Named<Consumer<Harness>>> deadConnections() {
		return Stream.of(Named.of("half open", (harness) -> {
			harness.proxy().halfOpenNewConnections();
			harness.proxy().on("update").halfOpen().always();
		}), Named.of("reset in the reply", (harness) -> harness.proxy().on("update").cutInReply().always()),
				Named.of("1 byte per second", (harness) -> harness.proxy().on("update").drip(1).always()),
				Named.of("reset, and refused from then on", (harness) -> {
					harness.proxy().refuseNewConnections();
					harness.proxy().cut();
				}));
	}

	@Test
	@ShowsRow(value = 15, level = Level.SERVER)
	void aHolderWhosePoolIsExhaustedIsToldBeforeTheNextGrant(RowFigures figures) {
		try (Harness any = Harness.onAnyServer()) {
			HarnessClient client = narrow(any);
			HarnessClient other = any.direct(Harness.LONG);
			LockHandle handle = client.acquire();
			Hold hold = exhaust(client, any.proxy());
			Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(any.label())).close();
			hold.release();
			await().atMost(Harness.LONG)
				.ignoreExceptionsInstanceOf(LockStoreException.class)
				.untilAsserted(() -> client.locks().acquire(LockRequest.of("order:2")).close());
		}
	}

	@Test
	@ShowsRow(value = 15, level = Level.SERVER)
	void renewalsOnAPoolOfTheirOwnPassWhileThatOfTheApplicationIsExhausted(RowFigures figures) {
		try (Harness any = Harness.onAnyServer()) {
			HarnessClient client = any
				.behindProxy(HarnessClient.settings(Duration.ofSeconds(15), Duration.ofSeconds(1), Harness.LONG));
			HarnessClient application = narrow(any);
			try (LockHandle handle = client.acquire()) {
				exhaust(application, any.proxy());
				any.awaitMoreReplies("update", 4);
				assertThat(handle.isHeld()).isTrue();
			}
			assertThat(client.heard().losses()).isEmpty();
			figures.server(any.label()).add("missed renewals", 0);
		}
	}

	private static HarnessClient narrow(Harness any) {
		return any.client(any.proxied() + "&maxPoolSize=4", SETTINGS, LockClock.system()).warm();
	}

	private static Hold exhaust(HarnessClient client, FaultProxy proxy) {
		MongoCollection<Document> busy = client.mongo().getDatabase(Harness.DATABASE).getCollection("busy");
		Hold hold = proxy.on("find").collection("busy").holdAllRequests();
		for (int i = 0; i < 100; i++) {
			Daemon.start("busy-" + i, () -> {
				try {
					busy.find().first();
				}
				catch (RuntimeException ex) {
					// The test is over
				}
			});
		}
		// The observer is not behind the proxy
		proxy.awaitRequests("find", 4, Harness.LONG);
		return hold;
	}

	@Test
	@ShowsRow(value = 50, level = Level.PROXY)
	void asynchronousClaimsAreAnsweredTogether(RowFigures figures) {
		// Of which 3 s are left for a request
		HarnessClient client = this.harness.behindProxy(Duration.ofSeconds(12), Duration.ZERO);
		this.harness.proxy().blackhole();
		long begun = System.nanoTime();
		List<CompletableFuture<Throwable>> failures = IntStream.range(0, 200)
			.mapToObj((i) -> client.locks().acquireAsync(LockRequest.of("order:" + i)))
			.map((claim) -> claim.handle((handle, failure) -> failure))
			.toList();
		assertThat(failures.stream().map(CompletableFuture::join)).allMatch(LockStoreException.class::isInstance);
		long last = System.nanoTime() - begun;
		// One after the other on each of 32 threads they would take seven times as long
		assertThat(Duration.ofNanos(last)).isLessThan(Duration.ofSeconds(18));
		figures.server(this.harness.label()).add("claims", failures.size());
		figures.add("last answered", Harness.millis(last) + " with a timeout of 3000 ms");
	}

	private static long blocked(Runnable call) {
		long start = System.nanoTime();
		call.run();
		long blocked = System.nanoTime() - start;
		assertThat(Duration.ofNanos(blocked)).isLessThan(OPERATION_TIMEOUT.plusSeconds(10));
		return blocked;
	}

}
