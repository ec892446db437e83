package io.mongolock.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.springframework.util.backoff.BackOffExecution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link FullJitterBackOff}.
 */
class FullJitterBackOffTests {

	@Test
	void waitsAreBetweenZeroAndABoundThatGrowsAndStopsGrowing() {
		List<Long> bounds = List.of(10L, 20L, 40L, 50L, 50L);
		FullJitterBackOff backOff = new FullJitterBackOff(6, Duration.ofMillis(10), 2, Duration.ofMillis(50));
		long[] longest = new long[bounds.size()];
		for (int i = 0; i < 2000; i++) {
			BackOffExecution execution = backOff.start();
			for (int j = 0; j < longest.length; j++) {
				long wait = execution.nextBackOff();
				assertThat(wait).isBetween(0L, bounds.get(j));
				longest[j] = Math.max(longest[j], wait);
			}
			assertThat(execution.nextBackOff()).isEqualTo(BackOffExecution.STOP);
		}
		IntStream.range(0, longest.length)
			.forEach((j) -> assertThat(longest[j]).as("the whole range is used").isEqualTo(bounds.get(j)));
	}

	@Test
	void oneAttemptIsNoWaiting() {
		assertThat(new FullJitterBackOff(1, Duration.ofMillis(10), 2, Duration.ofSeconds(1)).start().nextBackOff())
			.isEqualTo(BackOffExecution.STOP);
	}

	@Test
	void wrongOnesAreRefused() {
		Duration delay = Duration.ofMillis(10);
		LongStream.of(0, -1)
			.forEach((attempts) -> assertThatIllegalArgumentException()
				.isThrownBy(() -> new FullJitterBackOff((int) attempts, delay, 2, delay)));
		assertThatIllegalArgumentException().isThrownBy(() -> new FullJitterBackOff(2, delay, 0.5, delay));
		assertThatIllegalArgumentException().isThrownBy(() -> new FullJitterBackOff(2, delay, 2, Duration.ofMillis(9)));
	}

}
