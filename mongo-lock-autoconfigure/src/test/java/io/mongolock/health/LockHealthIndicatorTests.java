package io.mongolock.health;

import java.time.Duration;
import java.util.Optional;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockHealthIndicator} and {@link LockTrouble}.
 */
class LockHealthIndicatorTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final LockStore store = Mockito.mock();

	private final LockClock clock = Mockito.mock();

	private final LockTrouble trouble = new LockTrouble(this.clock);

	private final LockHealthIndicator indicator = new LockHealthIndicator(this.store, TIMEOUT, this.trouble);

	@BeforeEach
	void answers() {
		BDDMockito.given(this.store.find(Mockito.anyString(), Mockito.eq(TIMEOUT))).willReturn(Optional.empty());
	}

	@Test
	void aStoreThatAnswersIsUp() {
		assertThat(this.indicator.health()).isEqualTo(Health.up().build());
	}

	@Test
	void aStoreThatFailsIsDown() {
		BDDMockito.given(this.store.find(Mockito.anyString(), Mockito.eq(TIMEOUT)))
			.willThrow(new LockStoreException("key", Outcome.NOT_EXECUTED, "no server", null));
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger(LockHealthIndicator.class);
		log.start();
		logger.addAppender(log);
		try {
			Health health = this.indicator.health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).hasEntrySatisfying("error",
					(error) -> assertThat(error).asString().endsWith("no server"));
			assertThat(log.list).as("lines of each probe while the store is down").isEmpty();
		}
		finally {
			logger.detachAppender(log);
		}
	}

	@Test
	void anOverdueRenewalIsATroubleUntilItSucceeds() {
		LockHandle handle = handle("order:1", 10);
		this.trouble.onRenewalFailed(handle, new IllegalStateException());
		assertThat(this.indicator.health().getStatus()).isEqualTo(LockHealthIndicator.DEGRADED);
		assertThat(this.indicator.health().getDetails()).containsEntry("overdueRenewals", 1);
		BDDMockito.given(handle.remaining()).willReturn(Duration.ofSeconds(5));
		assertThat(this.indicator.health().getStatus()).isEqualTo(LockHealthIndicator.DEGRADED);
		BDDMockito.given(handle.remaining()).willReturn(Duration.ofSeconds(24));
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aLockThatFailsAgainAndAgainCountsOnce() {
		for (int i = 0; i < 3; i++) {
			this.trouble.onRenewalFailed(handle("order:1", 10 - i), new IllegalStateException());
		}
		assertThat(this.trouble.overdueRenewals()).containsExactly("order:1");
	}

	@Test
	void whatIsReleasedOrLostIsNoTroubleAnyMore() {
		LockHandle released = handle("order:1", 10);
		LockHandle lost = handle("order:2", 10);
		this.trouble.onRenewalFailed(released, new IllegalStateException());
		this.trouble.onRenewalFailed(lost, new IllegalStateException());
		this.trouble.onReleased(released);
		assertThat(this.trouble.overdueRenewals()).containsExactly("order:2");
		this.trouble.onLost(lost, LossReason.DEADLINE);
		assertThat(this.trouble.overdueRenewals()).isEmpty();
	}

	@Test
	void aStepOfTheStoresClockIsToldForTenMinutes() {
		this.trouble.onStoreClockStepped(Duration.ofSeconds(60));
		assertThat(this.indicator.health().getStatus()).isEqualTo(LockHealthIndicator.DEGRADED);
		BDDMockito.given(this.clock.nanoTime()).willReturn(Duration.ofMinutes(10).toNanos());
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aClockThatIsOffIsATroubleUntilItAgreesAgain() {
		this.trouble.onServerClockOff("db-2:27017", Duration.ofSeconds(-9));
		assertThat(this.indicator.health().getDetails().toString()).contains("db-2:27017");
		this.trouble.onServerClockOff("db-2:27017", Duration.ZERO);
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
	}

	private static LockHandle handle(String key, long remaining) {
		LockHandle handle = Mockito.mock();
		BDDMockito.given(handle.key()).willReturn(key);
		BDDMockito.given(handle.isHeld()).willReturn(true);
		BDDMockito.given(handle.remaining()).willReturn(Duration.ofSeconds(remaining));
		return handle;
	}

}
