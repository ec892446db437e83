package io.mongolock.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import io.mongolock.LockClock;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LockTerms;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LossLog}.
 */
class LossLogTests {

	private final List<String> lines = new ArrayList<>();

	private final LockClock clock = Mockito.mock();

	private final EventLog log = Mockito.mock();

	private final LossLog losses = new LossLog(this.log, this.clock);

	@Test
	void ofManyWithinASecondTenAreSaidOneByOneAndTheOthersSummedUp() {
		BDDMockito.willAnswer((call) -> this.lines.add(call.getArgument(0))).given(this.log).warn(Mockito.anyString());
		for (int i = 0; i < 12; i++) {
			lose("k" + i);
		}
		assertThat(this.lines).hasSize(10);
		assertThat(this.losses.retry()).as("to be summed up later").isTrue();
		BDDMockito.given(this.clock.nanoTime()).willReturn(Duration.ofSeconds(1).toNanos());
		assertThat(this.losses.retry()).isFalse();
		assertThat(this.lines).hasSize(11)
			.last()
			.asString()
			.startsWith("2 more locks were lost within a second. The last of these losses: ")
			.contains("'k11'");
		lose("k12");
		assertThat(this.lines).hasSize(12).last().asString().contains("'k12'");
	}

	private void lose(String key) {
		this.losses.lost(
				new Lease(new LeaseId(key, key), 1, LockTerms.of(LockSettings.NONE), new ClockReading(0, 0), (lost) -> {
				}), LossReason.DEADLINE);
	}

}
