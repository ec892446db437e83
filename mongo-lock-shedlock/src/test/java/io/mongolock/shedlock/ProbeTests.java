package io.mongolock.shedlock;

import java.time.Duration;
import java.util.Optional;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

import io.mongolock.shedlock.Probe.Answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Probe}.
 */
class ProbeTests {

	private final Probe probe = new Probe();

	private final ExtensibleLockProvider own = this.probe.around((wanted) -> Optional.of(() -> {
	}));

	@Test
	void whenAnErrorEndsACallThenTheThreadIsGrantedLocks() {
		assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> this.probe.ask((wanted) -> {
			throw new NoClassDefFoundError();
		}));
		assertThat(this.own.lock(Providers.configuration("k", Duration.ofMinutes(1), Duration.ZERO))).isPresent();
	}

	@Test
	void whenAGrantedLockIsNotReleasedThenItIsGranted() {
		IllegalStateException down = new IllegalStateException("down");
		SimpleLock lock = () -> {
			throw down;
		};
		assertThat(this.probe.ask((wanted) -> Optional.of(lock))).isEqualTo(new Answer(false, true, down));
	}

	@Test
	void whenAProviderFailsAfterItHasAskedThisOneThenThatIsKnown() {
		IllegalStateException down = new IllegalStateException("down");
		assertThat(this.probe.ask((wanted) -> {
			this.own.lock(wanted);
			throw down;
		})).isEqualTo(new Answer(true, false, down));
	}

}
