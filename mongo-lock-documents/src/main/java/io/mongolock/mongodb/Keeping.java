package io.mongolock.mongodb;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.client.ClientSession;
import org.jspecify.annotations.Nullable;

import io.mongolock.store.Leased;

/**
 * Which transactions keep a lease, and who is about to write under it: shared by all
 * claims of this JVM that share the lease, so that none of them has it renewed beside
 * another's transaction. Thread-safe: it changes under the monitor, which may be entered
 * under that of a claim; who merely looks does not wait.
 */
final class Keeping {

	private final Map<ClientSession, Keeper> keepers = new ConcurrentHashMap<>();

	/** Whose write is underway, and of which transaction, {@code null} for none. */
	private final Map<Object, @Nullable ClientSession> writing = new HashMap<>();

	private volatile boolean over;

	/**
	 * From here on a transaction keeps the lease: a renewal beside it would fail what it
	 * writes.
	 * @param transaction the transaction
	 * @param renews whether it renews the lease
	 * @param lease the lease
	 * @return whether it did not before, and is not left to one around it, or to one that
	 * would keep its own renewal waiting
	 */
	synchronized boolean begin(ClientSession transaction, boolean renews, Leased lease) {
		Keeper keeper = new Keeper(Thread.currentThread(), renews);
		if (this.keepers.values().stream().anyMatch((other) -> other.renews() || other.thread() == keeper.thread())) {
			return false;
		}
		this.keepers.put(transaction, keeper);
		if (renews) {
			lease.suspend();
		}
		else {
			goOn(lease);
		}
		return true;
	}

	/**
	 * That transaction is over.
	 * @param transaction the transaction
	 * @param lease the lease
	 */
	synchronized void end(ClientSession transaction, Leased lease) {
		this.keepers.remove(transaction);
		goOn(lease);
	}

	boolean isKept() {
		return !this.keepers.isEmpty();
	}

	boolean isKeptBy(ClientSession transaction) {
		return this.keepers.containsKey(transaction);
	}

	/**
	 * A statement is about to write the document of a claim.
	 * @param claim the claim
	 * @param transaction what the statement is part of, {@code null} for none
	 * @param lease the lease
	 * @return to be run if the statement has renewed the lease; {@code null} if it would
	 * wait for another transaction
	 */
	synchronized @Nullable Runnable beginWrite(Object claim, @Nullable ClientSession transaction, Leased lease) {
		boolean waits = this.keepers.entrySet()
			.stream()
			.anyMatch((keeper) -> keeper.getValue().renews() && keeper.getKey() != transaction);
		if (waits || this.writing.values().stream().anyMatch((other) -> other != null && other != transaction)) {
			return null;
		}
		this.writing.put(claim, transaction);
		return lease.suspend();
	}

	/**
	 * What a claim has written is decided on, and the lease is still there.
	 * @param claim the claim
	 * @param lease the lease
	 */
	synchronized void endWrite(Object claim, Leased lease) {
		this.writing.remove(claim);
		goOn(lease);
	}

	/**
	 * What a claim has written may have ended the lease.
	 * @param claim the claim
	 * @param certain whether it has, for all of them
	 */
	synchronized void leave(Object claim, boolean certain) {
		this.writing.remove(claim);
		this.over |= certain;
	}

	/**
	 * Whether one of the claims has ended the lease.
	 * @return {@code false} if that is not known
	 */
	boolean isOver() {
		return this.over;
	}

	/**
	 * Whether a renewal would wait for a transaction, or for a write that is underway.
	 * @return whether it is left out
	 */
	synchronized boolean isSuspended() {
		return !this.writing.isEmpty() || isRenewed();
	}

	private boolean isRenewed() {
		return this.keepers.values().stream().anyMatch(Keeper::renews);
	}

	private void goOn(Leased lease) {
		if (isSuspended()) {
			return;
		}
		if (this.keepers.isEmpty()) {
			lease.resume();
		}
		else {
			lease.pause();
		}
	}

	/**
	 * A transaction that keeps a lease.
	 *
	 * @param thread whose
	 * @param renews whether it renews it, and so keeps all other writes waiting
	 */
	private record Keeper(Thread thread, boolean renews) {

	}

}
