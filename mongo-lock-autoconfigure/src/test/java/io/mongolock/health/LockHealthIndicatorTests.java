package io.mongolock.health;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.actuate.endpoint.SimpleStatusAggregator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;
import io.mongolock.store.Claim;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockHealthIndicator}, {@link LockTrouble} and {@link WriteProof}.
 */
class LockHealthIndicatorTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final LockOwner OWNER = new LockOwner("shop", "1", "host", 1, "");

	private static final LockStoreException DOWN = new LockStoreException("key", Outcome.NOT_EXECUTED, "no server",
			null);

	private final LockStore store = Mockito.mock();

	private final LockClock clock = Mockito.mock();

	private final WriteProof proof = new WriteProof(this.clock);

	private final LockTrouble trouble = new LockTrouble(this.clock, this.proof);

	private final LockHealthIndicator indicator = new LockHealthIndicator(this.store, TIMEOUT, this.trouble, OWNER);

	@BeforeEach
	void tokens() {
		BDDMockito.given(this.store.token(Mockito.anyString())).willAnswer((call) -> call.getArgument(0));
	}

	@Test
	void aStoreThatAnswersIsUp() {
		assertThat(this.indicator.health()).isEqualTo(Health.up().build());
	}

	@Test
	void aStoreThatFailsIsDown() {
		BDDMockito.given(this.store.acquire(Mockito.any(), Mockito.any())).willThrow(DOWN);
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
	void withoutOtherEvidenceOneLockIsClaimedAndReleasedWithinTheBound() {
		BDDMockito.given(this.store.acquire(Mockito.any(), Mockito.any())).willAnswer((call) -> {
			BDDMockito.given(this.clock.nanoTime()).willReturn(Duration.ofSeconds(1).toNanos());
			return null;
		});
		this.indicator.health();
		ArgumentCaptor<Claim> claim = ArgumentCaptor.forClass(Claim.class);
		Mockito.verify(this.store).acquire(claim.capture(), Mockito.eq(TIMEOUT));
		assertThat(claim.getValue().limit()).as("instances do not wait for each other").isEqualTo(Integer.MAX_VALUE);
		assertThat(claim.getValue().ttl()).as("ends by itself").isEqualTo(TIMEOUT);
		Mockito.verify(this.store).release(claim.getValue().id(), TIMEOUT.minusSeconds(1));
	}

	@Test
	void aClaimThatTookAllTheTimeIsReleasedAllTheSame() {
		BDDMockito.given(this.store.acquire(Mockito.any(), Mockito.any())).willAnswer((call) -> {
			BDDMockito.given(this.clock.nanoTime()).willReturn(TIMEOUT.toNanos());
			return null;
		});
		this.indicator.health();
		Mockito.verify(this.store).release(Mockito.any(), Mockito.eq(Duration.ofMillis(1)));
	}

	@Test
	void aStoreThatAnswersButRefusesToWriteIsDown() {
		BDDMockito.given(this.store.release(Mockito.any(), Mockito.any())).willThrow(DOWN);
		assertThat(this.indicator.health().getStatus()).as("the privilege to update").isEqualTo(Status.DOWN);
		BDDMockito.given(this.store.acquire(Mockito.any(), Mockito.any())).willThrow(DOWN);
		assertThat(this.indicator.health().getStatus()).as("any write").isEqualTo(Status.DOWN);
	}

	@Test
	void theClientsOwnWritesAreProofEnoughForSomeSeconds() {
		this.proof.confirmed();
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
		BDDMockito.given(this.clock.nanoTime()).willReturn(Duration.ofSeconds(2).toNanos() - 1);
		this.indicator.health();
		Mockito.verify(this.store, Mockito.never()).acquire(Mockito.any(), Mockito.any());
		BDDMockito.given(this.clock.nanoTime()).willReturn(Duration.ofSeconds(2).toNanos());
		this.indicator.health();
		this.indicator.health();
		Mockito.verify(this.store, Mockito.times(1)).acquire(Mockito.any(), Mockito.any());
	}

	@Test
	void afterAFailureNoGrantIsProofButALookOfItsOwn() {
		List<Runnable> failures = List.of(() -> this.proof.renewed(1, false, Duration.ZERO),
				() -> this.proof.attempted("claim", LockRequest.of("k"), AttemptOutcome.FAILED, DOWN, Duration.ZERO),
				() -> this.trouble.onReleaseFailed(handle("k", 1), DOWN));
		for (Runnable failure : failures) {
			failure.run();
			this.proof.confirmed();
			BDDMockito.given(this.store.acquire(Mockito.any(), Mockito.any())).willThrow(DOWN);
			assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
			BDDMockito.willAnswer((call) -> null).given(this.store).acquire(Mockito.any(), Mockito.any());
			assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
			assertThat(this.proof.isValid()).isTrue();
		}
	}

	@Test
	void aFailureDuringALookVoidsIt() {
		BDDMockito.given(this.store.acquire(Mockito.any(), Mockito.any())).willAnswer((call) -> {
			this.proof.renewed(1, false, Duration.ZERO);
			return null;
		});
		this.indicator.health();
		assertThat(this.proof.isValid()).isFalse();
	}

	@Test
	@SuppressWarnings("removal") // with Boot 4.0 there is no other
	void theAggregateIsDegradedWithTheOrderThatIsDocumented() throws IOException {
		Matcher order = Pattern.compile("status.order: (.*)")
			.matcher(Files.readString(Path.of("../docs/operating.md")));
		assertThat(order.find()).isTrue();
		SimpleStatusAggregator documented = new SimpleStatusAggregator(order.group(1).split(", "));
		assertThat(documented.getAggregateStatus(Status.UP, LockHealthIndicator.DEGRADED))
			.isEqualTo(LockHealthIndicator.DEGRADED);
		assertThat(documented.getAggregateStatus(Status.DOWN, LockHealthIndicator.DEGRADED)).isEqualTo(Status.DOWN);
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
	void ofManyOverdueLocksTenAreNamed() {
		for (int i = 0; i < 11; i++) {
			this.trouble.onRenewalFailed(handle("order:" + i, 10), new IllegalStateException());
		}
		assertThat(this.indicator.health().getDetails()).containsEntry("overdueRenewals", 11)
			.hasEntrySatisfying("overdueLocks",
					(locks) -> assertThat(locks).asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(10));
	}

	@Test
	void aLockWhoseReleaseWentUnheardIsNoTroubleOnceItIsNotHeld() {
		LockHandle handle = handle("order:1", 10);
		this.trouble.onRenewalFailed(handle, new IllegalStateException());
		BDDMockito.given(handle.isHeld()).willReturn(false);
		assertThat(this.trouble.overdueRenewals()).isEmpty();
	}

	@Test
	void aLockThatIsReleasedOrLostIsNoTroubleAnyMore() {
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
	void aStepOfTheStoresClockIsShownForTenMinutes() {
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
