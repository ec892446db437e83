package io.mongolock.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockStoreException;
import io.mongolock.core.ClockReading;
import io.mongolock.core.LockAcquisition;
import io.mongolock.event.LockInstrumentation.AttemptOutcome;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Calls the instruments at once, on the thread of the event. If an instrument fails, this
 * is logged and affects nothing else. Thread-safe.
 */
final class Instruments {

	private final List<LockInstrumentation> instruments;

	private final LockClock clock;

	private final LockLog log;

	Instruments(List<LockListener> listeners, LockClock clock, LockLog log) {
		this.instruments = among(listeners);
		this.clock = clock;
		this.log = log;
	}

	static List<LockInstrumentation> among(List<LockListener> listeners) {
		List<LockInstrumentation> instruments = new ArrayList<>();
		for (LockListener listener : listeners) {
			if (listener instanceof LockInstrumentation instrument) {
				instruments.add(instrument);
			}
		}
		return instruments;
	}

	void measure(Consumer<LockInstrumentation> measurement) {
		for (LockInstrumentation instrument : this.instruments) {
			try {
				measurement.accept(instrument);
			}
			catch (Throwable ex) {
				this.log.listenerFailed(instrument, ex);
			}
		}
	}

	/**
	 * An attempt ended.
	 * @param failure the failure of the store, {@code null} if there was none
	 */
	void attempted(LockAcquisition acquisition, AttemptOutcome outcome, @Nullable LockStoreException failure) {
		measure((instrument) -> instrument.attempted(acquisition, acquisition.attempt().request(), outcome, failure,
				since(acquisition.attempt().begun())));
	}

	/**
	 * Open one scope for the scopes of all instruments.
	 */
	Scope open(Function<LockInstrumentation, Scope> opening) {
		Scope scope = Scope.NONE;
		for (LockInstrumentation instrument : this.instruments) {
			Scope outer = scope;
			try {
				Scope inner = opening.apply(instrument);
				scope = (inner == Scope.NONE) ? outer : () -> close(instrument, inner, outer);
			}
			catch (Throwable ex) {
				this.log.listenerFailed(instrument, ex);
			}
		}
		return scope;
	}

	private void close(LockInstrumentation instrument, Scope inner, Scope outer) {
		try {
			inner.close();
		}
		catch (Throwable ex) {
			this.log.listenerFailed(instrument, ex);
		}
		outer.close();
	}

	Duration since(ClockReading before) {
		return Duration.ofNanos(this.clock.nanoTime() - before.nanos());
	}

}
