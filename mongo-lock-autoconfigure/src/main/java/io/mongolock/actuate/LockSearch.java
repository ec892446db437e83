package io.mongolock.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntBiFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import io.mongolock.LockClock;
import io.mongolock.LockStoreException;
import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LockDescriptors.LocksDescriptor;
import io.mongolock.core.LocalLease;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * Finds locks by their keys, in the application's store and in extensions. The keys of an
 * extension begin with its prefix here. Thread-safe.
 *
 * @param here gives this application's own state of a lease
 */
record LockSearch(StoreClient locks, Function<LeaseId, @Nullable LocalLease> here, List<LockExtension> extensions,
		Duration timeout, LockClock clock) {

	private static final int DEFAULT_LIMIT = 100;

	private static final int MAX_LIMIT = 1000;

	/** The number of locks that one request to the store searches. */
	private static final int CHUNK = 10_000;

	/**
	 * The most locks that one page searches if it finds few, because a page may be
	 * requested every 2 s.
	 */
	private static final int MAX_SCANNED = 100_000;

	/**
	 * A page of the held locks, in the order of their keys.
	 * @param asked the limit of the page, 100 unless given
	 * @throws InvalidEndpointRequestException if the limit is not from 1 to 1,000
	 */
	LocksDescriptor page(LockFilter filter, @Nullable String after, @Nullable Integer asked, boolean owners) {
		if (asked != null && (asked < 1 || asked > MAX_LIMIT)) {
			throw AskedLocks.refused("The limit is " + asked + ", but must be from 1 to " + MAX_LIMIT
					+ ". To see more locks, request several pages. For each further page, set 'after' to the value of "
					+ "'next' in the previous page");
		}
		List<LockDescriptor> matching = new ArrayList<>();
		// A user who may not see owners must not find them by searching for them
		if (!filter.holder().isEmpty() && !owners) {
			return new LocksDescriptor(matching, null, null);
		}
		int limit = (asked != null) ? asked : DEFAULT_LIMIT;
		String last = (after != null) ? after : "";
		int scanned = 0;
		TimeLeft time = new TimeLeft(this.clock, this.timeout);
		do {
			LockPage some;
			try {
				some = list(filter, last, limit - matching.size(), time.left());
			}
			catch (LockStoreException ex) {
				if (scanned > 0 && time.isOver()) {
					break;
				}
				throw ex;
			}
			some.locks().forEach((lock) -> matching.add(describe(lock, owners)));
			if (some.next() == null || matching.size() == limit) {
				return new LocksDescriptor(matching, some.next(), null);
			}
			last = some.next();
			scanned += CHUNK;
		}
		while (scanned < MAX_SCANNED && !time.isOver());
		return new LocksDescriptor(matching, last, scanned);
	}

	@Nullable LockDescriptor lock(String key, boolean owners) {
		StoredLock lock = find(key);
		return (lock != null) ? describe(lock, owners) : null;
	}

	// If several databases have such a document, prefers the one that is locked
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
	 * Add up a number over all stores that may have a lock with that key.
	 * @param count gets the client of each store, and the key as it is stored there
	 */
	int sum(String key, ToIntBiFunction<StoreClient, String> count) {
		return usable(() -> sources(key).mapToInt((source) -> count.applyAsInt(source, stored(key))).sum());
	}

	/**
	 * Whether one of the stores that may have a lock with that key fulfils a request. The
	 * stores are tried one after the other.
	 */
	boolean any(String key, BiPredicate<StoreClient, String> request) {
		return sources(key).anyMatch((source) -> request.test(source, stored(key)));
	}

	private LockDescriptor describe(StoredLock lock, boolean owners) {
		int waitingHere = sum(lock.key(), (source, key) -> source.waiting().applyAsInt(key));
		return LockDescriptor.of(lock, waitingHere, this.here, owners);
	}

	private LockPage list(LockFilter filter, String after, int most, Duration left) {
		String prefix = filter.prefix();
		LockFilter stored = new LockFilter(stored(prefix), filter.holder(), filter.heldFor());
		List<LockStore> stores = sources(prefix).map(StoreClient::store).toList();
		return usable(() -> shown(prefix,
				stores.stream()
					.map((store) -> store.list(stored, stored(after), most, CHUNK, left))
					.reduce((one, other) -> joined(one, other, stores.get(0).keyOrder(), most))
					.orElse(LockPage.of(List.of(), most, null))));
	}

	// Joins two pages up to the key that both searches have reached
	private static LockPage joined(LockPage one, LockPage other, Comparator<String> order, int most) {
		String next = Stream.of(one, other).map(LockPage::next).filter(Objects::nonNull).min(order).orElse(null);
		return LockPage.of(Stream.of(one, other)
			.flatMap((page) -> page.locks().stream())
			.filter((lock) -> next == null || order.compare(lock.key(), next) <= 0)
			.sorted(Comparator.comparing(StoredLock::key, order))
			.toList(), most, next);
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

	private LockPage shown(String asked, LockPage page) {
		return new LockPage(page.locks().stream().map((lock) -> shown(asked, lock)).toList(),
				(page.next() != null) ? prefix(asked) + page.next() : null);
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
			throw AskedLocks.refused(String.valueOf(ex.getMessage()));
		}
	}

}
