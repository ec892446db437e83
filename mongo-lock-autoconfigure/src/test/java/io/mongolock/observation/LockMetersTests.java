package io.mongolock.observation;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockMeters}.
 */
class LockMetersTests {

	private static final LockHandle HANDLE = Mockito.mock(LockHandle.class);

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockTemplate client = Mockito.mock(LockTemplate.class);

	private final LockMeters meters = new LockMeters(this.registry, true,
			new StaticListableBeanFactory(Map.of("client", this.client)).getBeanProvider(LockTemplate.class));

	@Test
	void claimsAreCountedByNameAndEndNeverByKey() {
		this.meters.attempted(this, LockRequest.of("order", 1), AttemptOutcome.GRANTED, null, Duration.ofMillis(2));
		this.meters.attempted(this, LockRequest.of("order", 2), AttemptOutcome.GRANTED, null, Duration.ofMillis(4));
		this.meters.attempted(this, LockRequest.of("order", 2), AttemptOutcome.DENIED, null, Duration.ofSeconds(5));
		this.meters.attempted(this, LockRequest.of("import"), AttemptOutcome.FAILED,
				new LockStoreException("import", Outcome.UNKNOWN, "down", null), Duration.ofSeconds(1));
		Timer granted = this.registry.get("mongo.lock.acquire").tags("lock", "order", "outcome", "granted").timer();
		assertThat(granted.count()).isEqualTo(2);
		assertThat(granted.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(6);
		assertThat(this.registry.get("mongo.lock.acquire")
			.tags("lock", "none", "outcome", "failed", "error", "LockStoreException")
			.timer()
			.count()).isEqualTo(1);
		assertThat(this.registry.getMeters()).map(Meter::getId).noneMatch((id) -> id.toString().contains("order:"));
	}

	@Test
	void holdsAreTimedByTheirOutcome() {
		this.meters.ended(HANDLE, LockRequest.of("order", 1), ReleaseOutcome.EXPIRED_UNCONTESTED,
				Duration.ofSeconds(40));
		assertThat(this.registry.get("mongo.lock.hold")
			.tags("lock", "order", "outcome", "expired-uncontested")
			.timer()
			.totalTime(TimeUnit.SECONDS)).isEqualTo(40);
	}

	@Test
	void lossesAndTakeOversAreCounted() {
		this.meters.lost(HANDLE, LockRequest.of("order", 1), LossReason.DEADLINE);
		this.meters.takenOver(LockRequest.of("order", 1));
		assertThat(this.registry.get("mongo.lock.lost").tags("lock", "order", "reason", "deadline").counter().count())
			.isEqualTo(1);
		assertThat(this.registry.get("mongo.lock.taken.over").tags("lock", "order").counter().count()).isEqualTo(1);
	}

	@Test
	void deadlocksAreCountedFromZero() {
		assertThat(this.registry.get("mongo.lock.deadlocks").counter().count()).isZero();
		this.meters.deadlocked();
		assertThat(this.registry.get("mongo.lock.deadlocks").counter().count()).isEqualTo(1);
	}

	@Test
	void claimsThatTakeIdleLeasesAndRecallsAreCountedByName() {
		this.meters.tookIdle(LockRequest.of("order", 1));
		this.meters.tookIdle(LockRequest.of("order", 2));
		this.meters.recalled(LockRequest.of("order", 1));
		assertThat(this.registry.get("mongo.lock.idle.taken").tags("lock", "order").counter().count()).isEqualTo(2);
		assertThat(this.registry.get("mongo.lock.recalled").tags("lock", "order").counter().count()).isEqualTo(1);
	}

	@Test
	void theClockOfAServerIsShownOnceItIsOffUntilItAgreesAgain() {
		assertThat(this.registry.find("mongo.lock.server.clock.offset").meter()).isNull();
		this.meters.serverClock("db2:27017", Duration.ofMillis(4200));
		this.meters.serverClock("db3:27017", Duration.ofMillis(-1500));
		assertThat(serverClock("db2:27017")).isEqualTo(4.2);
		assertThat(serverClock("db3:27017")).isEqualTo(-1.5);
		this.meters.serverClock("db2:27017", Duration.ZERO);
		assertThat(serverClock("db2:27017")).isZero();
	}

	private double serverClock(String server) {
		return this.registry.get("mongo.lock.server.clock.offset").tag("server", server).timeGauge().value();
	}

	@Test
	void countersWithAlertsAreShownAtZeroFromTheStart() {
		this.meters.attempting("claim", LockRequest.of("order", 1));
		assertThat(this.registry.get("mongo.lock.lost").tags("lock", "order", "reason", "deadline").counter().count())
			.isZero();
		assertThat(this.registry.get("mongo.lock.lost").tags("lock", "order", "reason", "refused").counter().count())
			.isZero();
		assertThat(this.registry.get("mongo.lock.taken.over").tags("lock", "order").counter().count()).isZero();
		assertThat(this.registry.get("mongo.lock.renewal").tags("outcome", "failed").timer().count()).isZero();
	}

	@Test
	void renewalsAreTimedWithTheirSizeAndHowMuchOfALeaseWasUsed() {
		this.meters.renewed(3, true, Duration.ofMillis(5));
		this.meters.renewed(1, false, Duration.ofSeconds(3));
		this.meters.leaseUsed(0.25);
		this.meters.leaseUsed(0.75);
		assertThat(this.registry.get("mongo.lock.renewal").tags("outcome", "answered").timer().count()).isEqualTo(1);
		assertThat(this.registry.get("mongo.lock.renewal").tags("outcome", "failed").timer().count()).isEqualTo(1);
		assertThat(this.registry.get("mongo.lock.renewal.leases").summary().totalAmount()).isEqualTo(4);
		assertThat(this.registry.get("mongo.lock.lease.used").summary().max()).isEqualTo(0.75);
	}

	@Test
	void theClockOfTheStoreIsShownAgainstThatOfThisMachine() {
		this.meters.storeClock(Duration.ofMillis(-1500));
		assertThat(this.registry.get("mongo.lock.store.clock.offset").timeGauge().value(TimeUnit.MILLISECONDS))
			.isEqualTo(-1500);
	}

	@Test
	void heldLocksAndWaitingClaimsAreShown() {
		BDDMockito.given(this.client.held()).willReturn(3);
		BDDMockito.given(this.client.waiting()).willReturn(7);
		BDDMockito.given(this.client.idle()).willReturn(Collections.nCopies(2, null));
		this.meters.afterSingletonsInstantiated();
		assertThat(this.registry.get("mongo.lock.held").gauge().value()).isEqualTo(3);
		assertThat(this.registry.get("mongo.lock.waiting").gauge().value()).isEqualTo(7);
		assertThat(this.registry.get("mongo.lock.idle").gauge().value()).isEqualTo(2);
	}

}
