package io.mongolock.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import io.mongolock.LockContext;
import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;

/**
 * Assertions about a lock; {@link #actual} is its key. A lock that only stays taken until
 * its minimum hold is over counts as held.
 */
public final class LockAssert extends AbstractAssert<LockAssert, String> {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final int SHOWN = 10;

	private final LockStore store;

	LockAssert(String key, LockStore store) {
		super(key, LockAssert.class);
		this.store = store;
	}

	/**
	 * Assert that the lock is held.
	 * @return this assertion
	 */
	public LockAssert isHeld() {
		if (holders().isEmpty()) {
			throw failure("Lock '%s' should be held, but is free. The held locks are %s", this.actual, keysHeld());
		}
		return this;
	}

	/**
	 * Assert that the lock is free.
	 * @return this assertion
	 */
	public LockAssert isFree() {
		return hasHolders(0);
	}

	/**
	 * Assert that a holder of a name holds the lock.
	 * @param who the application, the instance, the thread, or the name that the request
	 * set by {@code as}
	 * @return this assertion
	 */
	public LockAssert isHeldBy(String who) {
		if (holders().stream().map(LockHolder::owner).noneMatch((owner) -> names(owner).anyMatch(who::equals))) {
			throw failure("Lock '%s' should be held by '%s', but is held by %s", this.actual, who, holders());
		}
		return this;
	}

	/**
	 * Assert that a number of holders hold the lock together.
	 * @param count the number of holders
	 * @return this assertion
	 */
	public LockAssert hasHolders(int count) {
		List<LockHolder> holders = holders();
		if (holders.size() != count) {
			throw failure("Lock '%s' should have %s holders, but has %s: %s", this.actual, count, holders.size(),
					holders);
		}
		return this;
	}

	/**
	 * Assert that the lock was granted again after a grant.
	 * @param fence the number of that grant
	 * @return this assertion
	 */
	public LockAssert hasFenceGreaterThan(long fence) {
		long found = fence();
		if (found <= fence) {
			throw failure("The fence of lock '%s' should be greater than %s, but is %s", this.actual, fence, found);
		}
		return this;
	}

	/**
	 * Assert that a call takes the lock, for example a call of a method with
	 * {@code @DistributedLock}. The store must grant the lock while the call runs. If the
	 * caller already holds the lock, the call shares it and takes none. This does not
	 * assert that the lock is free afterwards; {@link #isFree} does.
	 * @param call the call, which runs on this thread; an exception of the call fails the
	 * assertion
	 * @return this assertion
	 */
	public LockAssert isTakenBy(ThrowingCallable call) {
		long before = fence();
		Map<String, Long> all = fences();
		try {
			call.call();
		}
		catch (Throwable ex) {
			throw new AssertionError("The call that should take lock '" + this.actual + "' failed: " + ex, ex);
		}
		if (fence() == before) {
			if (LockContext.find((handle) -> handle.key().equals(this.actual)).isPresent()) {
				throw failure("The call should take lock '%s', but shares the lock, because the caller already holds "
						+ "it. Make the call outside the lock", this.actual);
			}
			List<String> taken = fences().entrySet()
				.stream()
				.filter((lock) -> lock.getValue() > all.getOrDefault(lock.getKey(), 0L))
				.map(Map.Entry::getKey)
				.limit(SHOWN)
				.toList();
			if (!taken.isEmpty()) {
				throw failure(
						"The call should take lock '%s', but only these locks were taken during the call: %s. Check the key "
								+ "(without mongo-lock.key-prefix), and check whether the call goes through the proxy",
						this.actual, taken);
			}
			throw failure("The call should take lock '%s', but ran without this lock. Check the key (without "
					+ "mongo-lock.key-prefix). A call from within the same object, or on an object that is not a bean, "
					+ "does not go through the proxy%s", this.actual, heldBefore());
		}
		return this;
	}

	// The store does not see a lease that is reused or handed over
	private String heldBefore() {
		List<LockHolder> holders = holders();
		return (holders.isEmpty()) ? ""
				: ". The lock was held before the call, too, so its lease may have been reused "
						+ "without a grant. Set its linger to 0s in this test, and release the lock before the call: "
						+ holders;
	}

	private List<LockHolder> holders() {
		return this.store.find(this.actual, LONG).map(StoredLock::liveHolders).orElse(List.of());
	}

	private long fence() {
		return this.store.find(this.actual, LONG).map(StoredLock::fence).orElse(0L);
	}

	// Other stores do not list locks that are free again
	private Map<String, Long> fences() {
		return (this.store instanceof InMemoryLockStore memory) ? memory.fences() : Map.of();
	}

	private List<String> keysHeld() {
		return this.store.list(SHOWN, LONG).stream().map(StoredLock::key).toList();
	}

	private static Stream<String> names(LockOwner owner) {
		return Stream.of(owner.application(), owner.instance(), owner.thread(), owner.as());
	}

}
