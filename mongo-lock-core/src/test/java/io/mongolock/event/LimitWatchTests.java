package io.mongolock.event;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LimitWatch}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LimitWatchTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final LimitWatch watch = new LimitWatch();

	@Test
	void otherLimitsAreSaidOncePerName(CapturedOutput output) {
		LockRequest one = LockRequest.of("api", 1);
		LockRequest other = LockRequest.of("api", 2);
		this.watch.observe(one, 10, held(NOW, 10, 5));
		this.watch.observe(other, 10, held(NOW, 5));
		assertThat(output).containsOnlyOnce("WARN")
			.contains("Lock 'api:1' is requested with limit 10, but held with limit 5 by ")
			.contains(", so the smallest limit counts")
			.contains("the locks named 'api' the same limit");
		this.watch.observe(LockRequest.of("k"), 2, held(NOW, LockRequest.UNLIMITED));
		assertThat(output).contains("Lock 'k' is requested with limit 2, but held shared by ");
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "7, 7", "1, 2147483647", "2147483647, 1", "2147483647, 2147483647" })
	void theSameLimitsAndReadersAndWritersAreAsMeant(int limit, int other, CapturedOutput output) {
		this.watch.observe(LockRequest.of("k"), limit, held(NOW, other));
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void aHolderThatIsGoneDoesNotCount(CapturedOutput output) {
		this.watch.observe(LockRequest.of("k"), 3, held(NOW.minusSeconds(30), 5));
		assertThat(output).doesNotContain("WARN");
	}

	private static StoredLock held(Instant renewed, int... limits) {
		List<StoredHolder> holders = IntStream.of(limits)
			.mapToObj((limit) -> new StoredHolder("t" + limit, limit, limit,
					new LockOwner("app", "1", "host", 42, "main"), renewed, renewed, Duration.ofSeconds(30)))
			.toList();
		return new StoredLock("k", holders, List.of(), List.of(), 0, NOW);
	}

}
