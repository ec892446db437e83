package io.mongolock.shedlock;

import java.time.Duration;
import java.util.Optional;

import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A lock that is unlocked or extended once. Unlike ShedLock's
 * {@link net.javacrumbs.shedlock.core.AbstractSimpleLock}, it is unchanged after a
 * refused extension: it must still be unlocked, and this does not fail. ShedLock unlocks
 * after each job, and a failure of the unlock would replace the job's own failure.
 * Belongs to one holder.
 */
abstract class ExtensibleLock implements SimpleLock {

	protected final LockConfiguration lockConfiguration;

	private boolean over;

	ExtensibleLock(LockConfiguration configuration) {
		this.lockConfiguration = configuration;
	}

	@Override
	public final void unlock() {
		check();
		doUnlock();
		this.over = true;
	}

	@Override
	public final Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
		check();
		Optional<SimpleLock> extended = doExtend(new LockConfiguration(ClockProvider.now(),
				this.lockConfiguration.getName(), lockAtMostFor, lockAtLeastFor));
		this.over = extended.isPresent();
		return extended;
	}

	protected abstract void doUnlock();

	/**
	 * Extend the lock.
	 * @return the lock that replaces this one, empty if the extension was refused and
	 * nothing has changed
	 */
	protected abstract Optional<SimpleLock> doExtend(LockConfiguration configuration);

	private void check() {
		if (this.over) {
			throw new IllegalStateException(
					"Lock " + this.lockConfiguration.getName() + " has already been unlocked or extended");
		}
	}

}
