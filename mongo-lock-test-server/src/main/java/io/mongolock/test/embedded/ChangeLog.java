package io.mongolock.test.embedded;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * The latest changes of all collections in their order, and the listeners for new
 * changes. It does not use the library's oplog, which logs an update as it was sent, with
 * {@code holders.$} for a path. That oplog logs no pipelines, and no caller can wait for
 * it. Thread-safe: this object guards everything except the listeners.
 */
final class ChangeLog {

	private final ServerClock clock;

	private final int capacity;

	private final TreeMap<BsonTimestamp, Change> changes = new TreeMap<>();

	private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();

	private BsonTimestamp latest;

	private @Nullable BsonTimestamp forgotten;

	/** The last change that is shown, {@code null} if all are shown. */
	private @Nullable BsonTimestamp heldAfter;

	/**
	 * An empty log.
	 * @param clock the server's clock
	 * @param capacity how many changes are kept
	 */
	ChangeLog(ServerClock clock, int capacity) {
		this.clock = clock;
		this.capacity = capacity;
		this.latest = clock.nextTimestamp();
	}

	/**
	 * Add a change and tell the listeners.
	 * @param change the change, with documents as they are stored
	 */
	void add(Change change) {
		synchronized (this) {
			this.latest = this.clock.nextTimestamp();
			this.changes.put(this.latest, change.copy());
			if (this.changes.size() > this.capacity) {
				this.forgotten = this.changes.pollFirstEntry().getKey();
			}
		}
		tellListeners();
	}

	/**
	 * Show no new changes from now on.
	 */
	synchronized void hold() {
		this.heldAfter = this.latest;
	}

	/**
	 * Show everything again, and tell the listeners.
	 */
	void show() {
		synchronized (this) {
			this.heldAfter = null;
		}
		tellListeners();
	}

	/**
	 * The time of the latest change.
	 * @return the time; the time of the start if nothing was changed
	 */
	synchronized BsonTimestamp latest() {
		return this.latest;
	}

	/**
	 * The first change after a time.
	 * @param time the time
	 * @return the change, {@code null} if none is shown yet
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if changes after it are
	 * forgotten
	 */
	synchronized Map.@Nullable Entry<BsonTimestamp, Change> after(BsonTimestamp time) {
		if (this.forgotten != null && time.compareTo(this.forgotten) < 0) {
			throw ServerErrors.changeStreamHistoryLost(
					"Resume of change stream was not possible, as the resume point may no longer be in the oplog");
		}
		Map.Entry<BsonTimestamp, Change> next = this.changes.higherEntry(time);
		boolean held = this.heldAfter != null && next != null && next.getKey().compareTo(this.heldAfter) > 0;
		return (held) ? null : next;
	}

	/**
	 * The change at a time.
	 * @param time the time
	 * @return the change, {@code null} if there is none or it is forgotten
	 */
	synchronized @Nullable Change at(BsonTimestamp time) {
		return this.changes.get(time);
	}

	void addListener(Runnable listener) {
		this.listeners.add(listener);
	}

	void removeListener(Runnable listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Let the listeners look again.
	 */
	void tellListeners() {
		this.listeners.forEach(Runnable::run);
	}

}
