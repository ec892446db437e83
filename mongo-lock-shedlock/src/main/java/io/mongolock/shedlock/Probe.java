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
 * Finds out whether a provider asks the one of this module, by a call that this one
 * denies without a request. Thread-safe.
 */
final class Probe {

	private static final String NAME = "mongo-lock-probe";

	/** How often it is asked again. */
	private static final int AGAIN = 3;

	/** Longer than any wrapper asks for; a foreign lock is released at once. */
	private static final Duration LONG = Duration.ofMinutes(5);

	/** Whether it was reached, while it is under way on this thread. */
	private final ThreadLocal<@Nullable Boolean> reached = new ThreadLocal<>();

	/**
	 * A provider that notices when it is probed.
	 * @param own the provider of this module
	 * @return the provider of the application
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
	 * Ask a provider for a lock, which is released at once. If it grants none, perhaps
	 * because another instance asks it, or did so and has died, it is asked again for
	 * others.
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
	 * How a provider has answered.
	 *
	 * @param reached whether it has asked the one of this module
	 * @param granted whether it has granted a lock
	 * @param failure at which it has failed, if it has
	 */
	record Answer(boolean reached, boolean granted, @Nullable RuntimeException failure) {

		boolean isDenied() {
			return !this.reached && !this.granted && this.failure == null;
		}

	}

}
