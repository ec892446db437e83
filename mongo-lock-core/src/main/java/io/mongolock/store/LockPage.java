package io.mongolock.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A part of a list of locks.
 *
 * @param locks the locks, in the order of their keys
 * @param next the key after which the next page begins, {@code null} at the end
 */
public record LockPage(List<StoredLock> locks, @Nullable String next) {

	/**
	 * Make a page of the first locks that were found.
	 * @param found the locks, in the order of their keys
	 * @param next the key after which no lock was read, {@code null} at the end
	 */
	public static LockPage of(List<StoredLock> found, int most, @Nullable String next) {
		return (found.size() < most) ? new LockPage(found, next)
				: new LockPage(found.subList(0, most), found.get(most - 1).key());
	}

}
