package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.core.QueuePlaces;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.TimeLeft;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockReleaser}.
 */
class LockReleaserTests {

	private final ScriptedStore store = new ScriptedStore();

	private final JumpingClock clock = new JumpingClock();

	private final LockTemplate template = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("app", "1", "host", 42, ""), this.clock, List.of()));

	private final LockEvents events = new LockEvents(List.of(), this.clock, new ClientRuntime()::daemons);

	private final ClientLifecycle phase = new ClientLifecycle(new ClientRuntime(), this::loop);

	private final LockReleaser releaser = releaser(this.store);

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void atAStopTheMinimumHoldOfOneThatIsOverMeanwhileFreesNoOther() {
		HeldLock soon = held("soon", Duration.ofMinutes(10));
		HeldLock later = held("later", Duration.ofHours(1));
		this.clock.jumpAfterTheNextReading(Duration.ofMinutes(11));
		this.releaser.releaseAll(List.of(soon, later),
				new TimeLeft(this.clock, this.clock.nanos + Duration.ofHours(1).toNanos()));
		Awaitility.await().until(() -> this.store.kept.size() == 2);
		assertThat(this.store.kept.get("soon")).isEqualTo(Duration.ofMillis(1));
		assertThat(this.store.kept.get("later")).isEqualTo(Duration.ofMinutes(49));
		assertThat(this.store.holder("later")).isPresent();
	}

	@Test
	void anInterruptOutlivesAStopThatFails() {
		HeldLock held = held("k", Duration.ZERO);
		ScriptedStore broken = new ScriptedStore() {

			@Override
			public int releaseAll(List<LeaseId> leases, Duration timeout) {
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				throw new OutOfMemoryError("by script");
			}

		};
		LockReleaser releaser = releaser(broken);
		Thread.currentThread().interrupt();
		releaser.releaseAll(List.of(held), new TimeLeft(this.clock, this.clock.nanos + Duration.ofHours(1).toNanos()));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void whenTheClientHasStoppedThenNoRequestReleasesIdleLeases() {
		HeldLock held = held("k", Duration.ZERO);
		this.phase.start();
		this.phase.stopClaims();
		this.phase.stop();
		this.phase.close();
		List<HeldLock> over = new ArrayList<>();
		assertThat(this.releaser.releaseTogether(List.of(held), over::add)).containsExactly(held);
		assertThat(over).isEmpty();
		assertThat(this.store.holder("k")).isPresent();
	}

	private HeldLock held(String key, Duration minHold) {
		return ((LeaseHandle) this.template.acquire(LockRequest.builder(key).minHold(minHold).build())).heldLock();
	}

	private LockReleaser releaser(LockStore store) {
		ReleaseSender sender = new ReleaseSender(store, this.clock, this.phase);
		return new LockReleaser(store, this.clock, this.events, this.phase, sender,
				new OrphanReleaser(store, this.clock, this.phase, sender), new StopRequests(new ClientRuntime()));
	}

	private ClientLoop loop(ClientThreads threads) {
		return new ClientLoop(this.store, this.clock, threads.renewals(), this.events,
				List.of(new QueueMaintenance(this.store, this.clock,
						new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> threads,
						new StopRequests(new ClientRuntime()))),
				new ReleaseRequestPoller(this.store, this.events), new ClientRuntime());
	}

	/**
	 * Stands still until it jumps.
	 */
	private static final class JumpingClock implements LockClock {

		private final Thread thread = Thread.currentThread();

		private volatile long nanos = System.nanoTime();

		private Duration jump = Duration.ZERO;

		void jumpAfterTheNextReading(Duration jump) {
			this.jump = jump;
		}

		@Override
		public long nanoTime() {
			return this.nanos;
		}

		@Override
		public long currentTimeMillis() {
			long millis = this.nanos / 1_000_000;
			if (Thread.currentThread() == this.thread) {
				this.nanos += this.jump.toNanos();
				this.jump = Duration.ZERO;
			}
			return millis;
		}

	}

}
