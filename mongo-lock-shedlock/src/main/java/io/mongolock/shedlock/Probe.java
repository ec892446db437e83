package io.mongolock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a provider asks the one of this module, by a call that this one
 * denies without a request. Thread-safe.
 */
final class Probe {

	private static final Log logger = LogFactory.getLog(Probe.class);

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
	 * Whether a provider asks the one of this module.
	 * @param provider the provider, whose lock is released at once if it grants one
	 * @return whether it does
	 */
	boolean reaches(LockProvider provider) {
		this.reached.set(false);
		try {
			provider.lock(new LockConfiguration(Instant.now(), "mongo-lock-probe", LONG, Duration.ZERO))
				.ifPresent(SimpleLock::unlock);
		}
		catch (RuntimeException ex) {
			logger.debug("Failed at the lock of the start", ex);
		}
		boolean asked = Boolean.TRUE.equals(this.reached.get());
		this.reached.remove();
		return asked;
	}

}
