package io.mongolock.mongodb;

import java.util.HashMap;
import java.util.Map;

import com.mongodb.client.ClientSession;
import org.jspecify.annotations.Nullable;

import io.mongolock.store.Leased;

/**
 * Which transaction keeps a lease, and who is about to write under it: shared by all
 * claims of this JVM that share the lease, so that none of them has it renewed beside
 * another's transaction. Thread-safe: it changes under the monitor, which may be entered
 * under that of a claim; who merely looks does not wait.
 */
final class Keeping {

	private volatile @Nullable ClientSession keeper;

	/** Whether the transaction renews it, and so keeps all other writes waiting. */
	private boolean renewing;

	/** Whose write is underway, and of which transaction, {@code null} for none. */
	private final Map<Object, @Nullable ClientSession> writing = new HashMap<>();

	/**
	 * From here on a transaction keeps the lease: a renewal beside it would fail what it
	 * writes.
	 * @param transaction the transaction
	 * @param renews whether it renews the lease
	 * @param lease the lease
	 * @return whether nothing kept it before
	 */
	synchronized boolean begin(ClientSession transaction, boolean renews, Leased lease) {
		if (this.keeper != null) {
			return false;
		}
		this.keeper = transaction;
		this.renewing = renews;
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
		if (this.keeper == transaction) {
			this.keeper = null;
			goOn(lease);
		}
	}

	boolean isKept() {
		return this.keeper != null;
	}

	boolean isKeptBy(ClientSession transaction) {
		return this.keeper == transaction;
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
		boolean waits = this.keeper != null && this.renewing && this.keeper != transaction;
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
	 * What a claim has written has ended the lease.
	 * @param claim the claim
	 */
	synchronized void leave(Object claim) {
		this.writing.remove(claim);
	}

	private void goOn(Leased lease) {
		if (!this.writing.isEmpty()) {
			return;
		}
		if (this.keeper == null) {
			lease.resume();
		}
		else if (!this.renewing) {
			lease.pause();
		}
	}

}
