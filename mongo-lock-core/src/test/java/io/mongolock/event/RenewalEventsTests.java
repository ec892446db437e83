package io.mongolock.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.core.ClockReading;
import io.mongolock.core.Lease;
import io.mongolock.core.LockTerms;
import io.mongolock.core.RenewalBatch;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.store.LeaseId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEvents}: what is said of renewals that fail while the store is
 * down.
 */
class RenewalEventsTests {

	private static final LockStoreException FAILURE = new LockStoreException("a", LockStoreException.Outcome.UNKNOWN,
			"no answer", null);

	private static final long SECOND = 1_000_000_000;

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final Logger logger = (Logger) LoggerFactory.getLogger(LockEvents.class);

	private final List<String> failed = new CopyOnWriteArrayList<>();

	private final LockEvents events = new LockEvents(List.of(new LockListener() {

		@Override
		public void onRenewalFailed(LockHandle handle, Throwable failure) {
			RenewalEventsTests.this.failed.add(handle.key());
		}

	}), LockClock.system(), (name) -> (task) -> {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		return thread;
	});

	private final RenewalSchedule schedule = new RenewalSchedule((bound) -> 0);

	@BeforeEach
	void listen() {
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void stop() {
		this.logger.detachAppender(this.log);
	}

	@Test
	void aFailureIsOneWarningHoweverOftenItIsRepeated() {
		this.schedule.add(lease("a", Duration.ofSeconds(9)), now());
		for (int time = 0; time < 5; time++) {
			ClockReading now = new ClockReading(now().nanos() + time * SECOND, now().millis());
			RenewalBatch batch = this.schedule.due(now).get(0);
			this.events.renewalFailed(batch, batch.leases(), FAILURE);
			this.schedule.failed(batch, now);
		}
		assertThat(warnings()).singleElement()
			.asString()
			.contains("The renewal of lock 'a' failed and is tried again until the lease runs out: no answer");
	}

	@Test
	void ofALeaseThatRanOutMeanwhileOnlyTheLossIsSaid() {
		Lease over = lease("over", Duration.ofSeconds(9));
		Lease held = lease("held", Duration.ofSeconds(9));
		this.schedule.add(over, now());
		this.schedule.add(held, now());
		RenewalBatch batch = this.schedule.due(now()).get(0);
		over.gone();
		this.events.renewalFailed(batch, batch.leases(), FAILURE);
		assertThat(warnings()).singleElement().asString().startsWith("The renewal of lock 'held' failed");
		held.gone();
		this.events.renewalFailed(batch, batch.leases(), FAILURE);
		assertThat(warnings()).hasSize(1);
		assertThat(this.failed).doesNotContain("over");
	}

	private List<String> warnings() {
		this.events.flushLog(Duration.ofSeconds(30));
		return List.copyOf(this.log.list)
			.stream()
			.filter((line) -> line.getLevel().isGreaterOrEqual(Level.WARN))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private static Lease lease(String key, Duration age) {
		ClockReading now = now();
		return new Lease(new LeaseId(key, key), 1, LockTerms.of(LockSettings.NONE),
				new ClockReading(now.nanos() - age.toNanos(), now.millis() - age.toMillis()), (lost) -> {
				});
	}

	private static ClockReading now() {
		return ClockReading.of(LockClock.system());
	}

}
