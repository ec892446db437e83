package io.mongolock.background;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.store.StoreSubscription;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreWatch}.
 */
class StoreWatchTests {

	private static final long KEPT = 1000;

	private final AtomicBoolean needed = new AtomicBoolean(true);

	private final AtomicInteger missed = new AtomicInteger();

	private long watchFor = KEPT;

	private Runnable onClose = () -> {
	};

	private final StoreWatch watch = new StoreWatch(new StoreWatch.Watcher() {

		@Override
		public StoreSubscription subscribe() {
			return open();
		}

		@Override
		public long watchFor() {
			return (StoreWatchTests.this.needed.get()) ? StoreWatchTests.this.watchFor : 0;
		}

		@Override
		public void missed() {
			StoreWatchTests.this.missed.incrementAndGet();
		}

	}, LockClock.system());

	private final ClockReading start = ClockReading.of(LockClock.system());

	@Test
	void itIsOpenWhileItIsNeededAndForAWhileAfter() {
		this.watch.start();
		assertThat(this.watch.isLive()).isFalse();
		runAt(1);
		assertThat(this.watch.isLive()).isTrue();
		this.needed.set(false);
		runAt(KEPT);
		assertThat(this.watch.isLive()).isTrue();
		assertThat(this.watch.nextIn(at(KEPT))).as("then it is to be closed").isOne();
		runAt(1 + KEPT);
		assertThat(this.watch.isLive()).isFalse();
		assertThat(this.missed).hasValue(0);
	}

	@Test
	void whenAUserComesAsTheWatchClosesThenMissedHintsAreNotedAndItOpensAgain() {
		this.watch.start();
		runAt(1);
		this.needed.set(false);
		this.onClose = () -> this.needed.set(true);
		runAt(1 + KEPT);
		assertThat(this.missed).hasValue(1);
		runAt(2 + KEPT);
		assertThat(this.watch.isLive()).as("opened again").isTrue();
	}

	@Test
	void aWatchThatIsAboutToCloseIsNotLive() {
		this.watch.start();
		runAt(1);
		this.needed.set(false);
		List<Runnable> close = new ArrayList<>();
		this.watch.run(at(1 + KEPT), close::add);
		assertThat(close).hasSize(1);
		assertThat(this.watch.isLive()).isFalse();
	}

	@Test
	void itStaysOpenForAsLongAsItWasEverNeeded() {
		this.watch.start();
		runAt(1);
		this.watchFor = 1;
		runAt(2);
		this.needed.set(false);
		runAt(KEPT);
		assertThat(this.watch.isLive()).isTrue();
		runAt(1 + KEPT);
		assertThat(this.watch.isLive()).isFalse();
	}

	@Test
	void nobodyIsWokenAgainAndAgainWhileItIsNeeded() {
		this.watchFor = 1;
		this.watch.start();
		runAt(1);
		assertThat(this.watch.nextIn(at(1))).isEqualTo(TimeUnit.SECONDS.toNanos(1));
		this.needed.set(false);
		runAt(1);
		assertThat(this.watch.nextIn(at(1))).isOne();
	}

	// Later than the start by whole seconds, as that read the clock itself
	private void runAt(long nanos) {
		this.watch.run(at(nanos), Runnable::run);
	}

	private ClockReading at(long nanos) {
		return new ClockReading(this.start.nanos() + TimeUnit.MINUTES.toNanos(1) + nanos, this.start.millis());
	}

	private StoreSubscription open() {
		return new StoreSubscription() {

			@Override
			public boolean isLive() {
				return true;
			}

			@Override
			public void close() {
				StoreWatchTests.this.onClose.run();
			}

		};
	}

}
