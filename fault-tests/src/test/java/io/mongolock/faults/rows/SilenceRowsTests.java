package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rows 13 and 14: a server that is there and does not answer.
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
	private final Harness rig = Harness.embedded();

	@Test
	@ShowsRow(value = 13, level = Level.PROXY)
	void aHolderWhoseServerFallsSilentIsToldBeforeTheNextGrant(RowFigures figures) {
		HarnessClient client = this.rig.behindProxy(SETTINGS);
		HarnessClient other = this.rig.direct(Harness.LONG);
		LockHandle handle = client.acquire();
		this.rig.proxy().blackhole();
		assertToldInTime(client, other, figures);
		long blocked = blocked(() -> assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> client.locks().acquire(LockRequest.of("order:2"))));
		assertThat(handle.isHeld()).isFalse();
		figures.add("blocked", Harness.millis(blocked) + " with a timeout of " + OPERATION_TIMEOUT.toMillis() + " ms");
	}

	@Test
	@ShowsRow(value = 13, level = Level.PROXY)
	void aSilenceShorterThanTheLeaseCostsNothing(RowFigures figures) {
		HarnessClient client = this.rig.behindProxy(Harness.LONG, Harness.LONG);
		LockRequest request = LockRequest.builder(Harness.KEY).ttl(Duration.ofSeconds(20)).build();
		try (LockHandle handle = client.locks().acquire(request)) {
			Hold hold = this.rig.renewals().holdAllRequests();
			hold.awaitHeld(Harness.LONG);
			int before = this.rig.proxy().replies("update");
			this.rig.proxy().clear();
			hold.release();
			this.rig.proxy().awaitReplies("update", before + 2, Harness.LONG);
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(client.told().losses()).isEmpty();
		figures.server(this.rig.label()).add("lost", 0);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("deadConnections")
	@ShowsRow(value = 14, level = Level.PROXY)
	void aHolderWhoseConnectionsDieIsToldBeforeTheNextGrant(Consumer<Harness> fault, RowFigures figures) {
		HarnessClient client = this.rig.behindProxy(SETTINGS);
		HarnessClient other = this.rig.direct(Harness.LONG);
		client.acquire();
		fault.accept(this.rig);
		assertToldInTime(client, other, figures);
	}

	static Stream<Named<Consumer<Harness>>> deadConnections() {
		return Stream.of(Named.of("half open", (rig) -> {
			rig.proxy().halfOpenNewConnections();
			rig.proxy().on("update").halfOpen().always();
		}), Named.of("reset in the reply", (rig) -> rig.proxy().on("update").cutInReply().always()),
				Named.of("1 byte per second", (rig) -> rig.proxy().on("update").drip(1).always()),
				Named.of("reset, and refused from then on", (rig) -> {
					rig.proxy().refuseNewConnections();
					rig.proxy().cut();
				}));
	}

	private void assertToldInTime(HarnessClient client, HarnessClient other, RowFigures figures) {
		LockHandle next = other.acquire();
		long lead = System.nanoTime() - client.told().awaitLoss().nanos();
		assertThat(lead).as("told before the next grant").isPositive();
		next.close();
		figures.server(this.rig.label()).add("told before the next grant by", Harness.millis(lead));
	}

	private static long blocked(Runnable call) {
		long start = System.nanoTime();
		call.run();
		long blocked = System.nanoTime() - start;
		assertThat(Duration.ofNanos(blocked)).isLessThan(OPERATION_TIMEOUT.plusSeconds(10));
		return blocked;
	}

}
