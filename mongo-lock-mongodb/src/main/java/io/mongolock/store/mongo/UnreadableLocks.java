package io.mongolock.store.mongo;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockStoreException;

/**
 * Leaves unreadable locks out of a look at many, so that the others are still seen, and
 * logs each once with the reason. A look at such a lock alone fails. Thread-safe.
 */
final class UnreadableLocks {

	private static final Log logger = LogFactory.getLog(UnreadableLocks.class);

	/** A limit for collections that also have documents of others. */
	private static final int MAX_SAID = 100;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	/**
	 * Read one of many locks.
	 * @return the lock, empty if it cannot be read
	 */
	<T> Stream<T> leaveOut(Supplier<T> reading) {
		try {
			return Stream.of(reading.get());
		}
		catch (LockStoreException ex) {
			if (this.said.size() < MAX_SAID && this.said.add(ex.getKey())) {
				logger.warn("Ignored an unreadable lock document: " + ex.getMessage());
			}
			return Stream.empty();
		}
	}

}
