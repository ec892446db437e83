package io.mongolock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a provider asks this module's provider. It makes a call that this
 * module's provider denies without a request. Thread-safe.
 */
final class Probe {

	private static final String NAME = "mongo-lock-probe";

	/** How often a provider is asked again. */
	private static final int AGAIN = 3;

	/**
	 * Longer than the minimum of any wrapper. The lock of a foreign provider is released
	 * at once.
	 */
	private static final Duration LONG = Duration.ofMinutes(5);

	/**
	 * Whether this module's provider was reached, while a probe is under way on this
	 * thread.
	 */
	private final ThreadLocal<@Nullable Boolean> reached = new ThreadLocal<>();

	/**
	 * Make this module's provider notice a probe.
	 * @param own the provider of this module
	 * @return the provider for the application
	 */
	ExtensibleLockProvider around(ExtensibleLockProvider own) {
		return (configuration) -> {
			if (this.reached.get() == null) {
				return own.lock(configuration);
			}
			this.reached.set(true);
			return Optional.empty();
		};
	}

	/**
	 * Ask a provider for a lock, which is released at once. If the provider grants none,
	 * it is asked again for other locks: another instance may be asking for the same
	 * lock, or may have died while it had this lock.
	 * @param provider the provider
	 * @return its last answer
	 */
	Answer ask(LockProvider provider) {
		Answer answer = ask(provider, NAME);
		for (int i = 0; i < AGAIN && answer.isDenied(); i++) {
			answer = ask(provider, NAME + "-" + UUID.randomUUID());
		}
		return answer;
	}

	private Answer ask(LockProvider provider, String name) {
		boolean granted = false;
		boolean asked = false;
		RuntimeException failure = null;
		this.reached.set(false);
		try {
			Optional<SimpleLock> lock = provider.lock(new LockConfiguration(Instant.now(), name, LONG, Duration.ZERO));
			granted = lock.isPresent();
			lock.ifPresent(SimpleLock::unlock);
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		finally {
			asked = Boolean.TRUE.equals(this.reached.get());
			this.reached.remove();
		}
		return new Answer(asked, granted, failure);
	}

	/**
	 * The answer of a provider.
	 *
	 * @param reached whether it has asked this module's provider
	 * @param granted whether it has granted a lock
	 * @param failure its exception, if it has failed
	 */
	record Answer(boolean reached, boolean granted, @Nullable RuntimeException failure) {

		boolean isDenied() {
			return !this.reached && !this.granted && this.failure == null;
		}

	}

}
