package io.mongolock.documents;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;

import io.mongolock.LockHolder;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;

/**
 * Sends requests for document locks by ticket, outside of any transaction. Decides
 * whether a draft was sent before.
 *
 * @param store where the locks are
 * @param timeout how long one request may take
 */
record DocumentTickets(DocumentLockStore store, Duration timeout) {

	/** Stands for the fence of a ticket that cannot be read. */
	private static final long UNKNOWN = 0;

	/**
	 * Find the proof in a ticket.
	 * @param ticket the ticket
	 * @param key the key of the document that the ticket was sent for
	 * @return the proof, or empty if the ticket does not hold the lock of that document
	 */
	Optional<LeaseProof> find(LockTicket ticket, String key) {
		return LeaseProof.of(ticket, key, this.store.holders(key, this.timeout));
	}

	void renew(LeaseProof proof) {
		if (!this.store.renew(proof.lease(), this.timeout)) {
			throw notHeld(proof.key());
		}
	}

	boolean release(LeaseProof proof) {
		return this.store.releaseGrant(proof.lease(), proof.fence(), this.timeout);
	}

	Optional<StoredLock> look(String key) {
		return this.store.find(key, this.timeout);
	}

	List<StoredLock> list(String collection) {
		return this.store.list(collection, this.timeout);
	}

	/**
	 * Release a lock, no matter who holds it.
	 * @param key its key
	 * @return who held it
	 */
	Optional<LockHolder> breakLock(String key) {
		return look(key).flatMap((lock) -> lock.holders()
			.stream()
			.filter((holder) -> this.store.releaseGrant(new LeaseId(key, holder.leaseToken()), holder.fence(),
					this.timeout))
			.findFirst()
			.map((holder) -> holder.toHolder(lock.now())));
	}

	/**
	 * Whether the last write of a document was the draft with the ticket's number. A
	 * request is sent again if its answer was lost.
	 * @param proof the proof of the ticket
	 * @param document the document as it stands now
	 * @param version its version
	 * @return whether the draft wrote this version
	 */
	boolean isDraft(LeaseProof proof, BsonDocument document, long version) {
		BsonDocument draft = new BsonDocument("number", new BsonInt64(proof.draft())).append("version",
				new BsonInt64(version));
		return proof.draft() != 0 && document.getDocument(this.store.field())
			.getArray("holders")
			.stream()
			.map(BsonValue::asDocument)
			.anyMatch((holder) -> proof.lease().leaseToken().equals(holder.getString("token").getValue())
					&& draft.equals(holder.get("draft")));
	}

	/**
	 * Load the document of a lock, as long as its lease exists.
	 * @param lease the lease
	 * @return the whole document
	 */
	Optional<BsonDocument> load(LeaseId lease) {
		return this.store.load(lease, this.timeout);
	}

	/**
	 * The exception for a ticket that holds nothing. Its text can come from anywhere. So
	 * the exception does not tell whether the document exists, and names no holder.
	 * @param key the key of the document that the ticket was sent for
	 * @return the exception
	 */
	static LockLostException notHeld(String key) {
		return new LockLostException(key, UNKNOWN, LossReason.REFUSED, "Lock '" + KeyText.printable(key)
				+ "' is not held by this ticket. Perhaps the document does not exist, was saved with this ticket "
				+ "before, or was overwritten by a plain save. Or perhaps the lock was taken over, released, or "
				+ "released by force");
	}

	/**
	 * The exception for a lock that is not held any more.
	 * @param proof the proof of the lock
	 * @param lock the lock as it was read
	 * @param consequence the end of the message
	 * @return the exception
	 */
	static LockLostException gone(LeaseProof proof, Optional<StoredLock> lock, String consequence) {
		return new LockLostException(proof.key(), proof.fence(), LossReason.REFUSED,
				"Lock '" + KeyText.printable(proof.key()) + "' (fence " + proof.fence() + ") was lost: "
						+ lock.map(DocumentTickets::whoHas).orElse("the document does not exist any more")
						+ consequence);
	}

	private static String whoHas(StoredLock lock) {
		for (LockHolder holder : lock.liveHolders()) {
			return "the document has been locked by " + holder.owner() + " since " + holder.acquiredAt() + " (fence "
					+ holder.fence() + "), and this lease ends at " + lock.now().plus(holder.remaining()) + ", unless "
					+ "it is renewed";
		}
		return (lock.holders().isEmpty())
				? "the lock was released, possibly by force or by a later holder, or the document was saved by code "
						+ "that does not know the lock"
				: "another holder took the lock over, but does not hold the lock any more";
	}

}
