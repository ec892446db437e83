package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockExceptions}.
 */
class LockExceptionsTests {

	private static final LockOwner ASKS = new LockOwner("shop", "9", "host", 1, "main");

	@Test
	void hundredsOfReadersAreCountedInTheTextAndKeptAsData() {
		LockUnavailableException unavailable = unavailable(300);
		assertThat(unavailable.getMessage()).hasSizeLessThan(1_000)
			.contains("reader-0", "reader-2", " and by 297 more. The call gave up after")
			.doesNotContain("reader-3");
		assertThat(unavailable.getHolders()).hasSize(300);
	}

	@Test
	void aFewAreAllNamed() {
		assertThat(unavailable(3).getMessage()).contains("reader-0", "reader-1", "reader-2").doesNotContain("more");
	}

	private static LockUnavailableException unavailable(int readers) {
		List<LockHolder> holders = IntStream.range(0, readers)
			.mapToObj((reader) -> new LockHolder(new LockOwner("shop", "1", "host", 1, "reader-" + reader), reader,
					Instant.EPOCH, Duration.ofSeconds(1), Duration.ofSeconds(29)))
			.toList();
		ClockReading begin = new ClockReading(0, 0);
		Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", "t"), 1, ASKS,
				LockTerms.of(LockSettings.builder().build()), begin);
		return LockExceptions.unavailable(attempt, holders, 1, null, null, false, begin);
	}

}
