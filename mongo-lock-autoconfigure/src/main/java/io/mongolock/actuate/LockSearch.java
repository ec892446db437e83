package io.mongolock.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import io.mongolock.LockClock;
import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LockDescriptors.LocksDescriptor;
import io.mongolock.core.LocalLease;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * Finds locks by their keys, in the application's store and in extensions, whose keys
 * begin with a prefix here. Thread-safe.
 *
 * @param here what this application has of a lease
 */
record LockSearch(StoreClient locks, Function<LeaseId, @Nullable LocalLease> here, List<LockExtension> extensions,
		Duration timeout, LockClock clock) {

	private static final int DEFAULT_LIMIT = 100;

	private static final int MAX_LIMIT = 1000;

	/** How many locks are looked at for one page whose filter matches few. */
	private static final int MAX_READ = 10_000;

	/**
	 * A page of the locks that are held, in the order of their keys.
	 * @param asked how many at most, 100 unless given
	 * @throws InvalidEndpointRequestException if that is not from 1 to 1,000
	 */
	LocksDescriptor page(LockFilter filter, @Nullable String after, @Nullable Integer asked, boolean owners) {
		if (asked != null && (asked < 1 || asked > MAX_LIMIT)) {
			throw LockFilter.refused("limit=" + asked + " is not from 1 to " + MAX_LIMIT
					+ ": ask for the next page with after, the next of the page before");
		}
		List<LockDescriptor> matching = new ArrayList<>();
		if (filter.findsNothing(owners)) {
			return new LocksDescriptor(matching, null);
		}
		int limit = (asked != null) ? asked : DEFAULT_LIMIT;
		String last = (after != null) ? after : "";
		int chunk = (filter.isNarrow()) ? MAX_LIMIT : Math.max(limit, DEFAULT_LIMIT);
		TimeLeft time = new TimeLeft(this.clock, this.timeout);
		for (int read = 0; read < MAX_READ && !time.isOver(); read += chunk) {
			List<StoredLock> some = list((filter.prefix() != null) ? filter.prefix() : "", last, chunk, time.left());
			for (StoredLock lock : some) {
				last = lock.key();
				if (filter.matches(lock)) {
					matching.add(describe(lock, owners));
					if (matching.size() == limit) {
						return new LocksDescriptor(matching, last);
					}
				}
			}
			if (some.size() < chunk) {
				return new LocksDescriptor(matching, null);
			}
		}
		return new LocksDescriptor(matching, last);
	}

	@Nullable LockDescriptor lock(String key, boolean owners) {
		StoredLock lock = find(key);
		return (lock != null) ? describe(lock, owners) : null;
	}

	// Where several databases have such a document, the one that is locked
	@Nullable StoredLock find(String key) {
		List<StoredLock> found = usable(
				() -> sources(key).flatMap((source) -> source.store().find(stored(key), this.timeout).stream())
					.map((lock) -> shown(key, lock))
					.toList());
		return found.stream()
			.filter((lock) -> !lock.liveHolders().isEmpty())
			.findFirst()
			.orElse((found.isEmpty()) ? null : found.get(0));
	}

	/**
	 * Add up over all places that may have a lock of that key.
	 * @param count is given each of them and the key as it is stored there
	 */
	int sum(String key, ToIntBiFunction<StoreClient, String> count) {
		return usable(() -> sources(key).mapToInt((source) -> count.applyAsInt(source, stored(key))).sum());
	}

	/**
	 * Whether one of the places that may have a lock of that key has it, which is asked
	 * one after the other.
	 */
	boolean any(String key, BiPredicate<StoreClient, String> request) {
		return sources(key).anyMatch((source) -> request.test(source, stored(key)));
	}

	private LockDescriptor describe(StoredLock lock, boolean owners) {
		int waitingHere = sum(lock.key(), (source, key) -> source.waiting().applyAsInt(key));
		return LockDescriptor.of(lock, waitingHere, this.here, owners);
	}

	private List<StoredLock> list(String prefix, String after, int most, Duration left) {
		return usable(() -> sources(prefix)
			.flatMap((source) -> source.store().list(stored(prefix), stored(after), most, left).stream())
			.map((lock) -> shown(prefix, lock))
			.sorted(Comparator.comparing(StoredLock::key))
			.limit(most)
			.toList());
	}

	private Stream<StoreClient> sources(String key) {
		return extension(key).map((one) -> one.clients().stream()).orElseGet(() -> Stream.of(this.locks));
	}

	private Optional<LockExtension> extension(String key) {
		return this.extensions.stream()
			.filter((one) -> !one.operatorPrefix().isEmpty() && key.startsWith(one.operatorPrefix()))
			.findFirst();
	}

	private String prefix(String key) {
		return extension(key).map(LockExtension::operatorPrefix).orElse("");
	}

	private String stored(String key) {
		return key.substring(prefix(key).length());
	}

	private StoredLock shown(String asked, StoredLock lock) {
		return new StoredLock(prefix(asked) + lock.key(), lock.holders(), lock.queue(), lock.previous(), lock.fence(),
				lock.now(), lock.recalled());
	}

	private static <T> T usable(Supplier<T> answer) {
		try {
			return answer.get();
		}
		catch (IllegalArgumentException ex) {
			throw LockFilter.refused(String.valueOf(ex.getMessage()));
		}
	}

}
