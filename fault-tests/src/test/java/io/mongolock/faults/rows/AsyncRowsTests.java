package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 50: claims without a thread of their own on a server that does not answer.
 */
@Timeout(120)
class AsyncRowsTests {

	private static final int CLAIMS = 200;

	private static final Duration TTL = Duration.ofSeconds(12);

	/** What {@link #TTL} leaves for a request. */
	private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(3);

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 50, level = Level.PROXY)
	void claimsOnASilentServerAreAnsweredTogether(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(TTL, Duration.ZERO).warm();
		this.harness.proxy().blackhole();
		long begun = System.nanoTime();
		List<CompletableFuture<Throwable>> failures = IntStream.range(0, CLAIMS)
			.mapToObj((i) -> client.locks().acquireAsync(LockRequest.of("order:" + i)))
			.map((claim) -> claim.handle((handle, failure) -> failure))
			.toList();
		assertThat(failures.stream().map(CompletableFuture::join)).allMatch(LockStoreException.class::isInstance);
		long last = System.nanoTime() - begun;
		// One after the other on each of 32 threads they would take seven times as long
		assertThat(Duration.ofNanos(last)).isLessThan(OPERATION_TIMEOUT.multipliedBy(6));
		figures.server(this.harness.label())
			.add("claims", CLAIMS)
			.add("last answered", Harness.millis(last) + " with a timeout of " + OPERATION_TIMEOUT.toMillis() + " ms");
	}

}
