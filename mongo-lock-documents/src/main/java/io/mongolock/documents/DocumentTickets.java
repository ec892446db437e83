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
 * Asks the store for locks on documents by their tickets, outside of any transaction, and
 * decides whether a draft is the same one, sent again.
 *
 * @param store where the locks are
 * @param timeout how long one request may take
 */
record DocumentTickets(DocumentLockStore store, Duration timeout) {

	/** The fence that a ticket hides. */
	private static final long UNKNOWN = 0;

	/**
	 * What a ticket proves.
	 * @param ticket the ticket
	 * @param key the key of the document that it was sent for
	 * @return the proof, unless the ticket does not hold its lock
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
	 * Whether a draft of the same number has written a document last: a request whose
	 * answer was lost is made once more.
	 * @param proof of the ticket with the number
	 * @param document the document as it stands now
	 * @param version its version
	 * @return whether nobody else has written it since
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
	 * The document of a lock, while its lease is there.
	 * @param lease the lease
	 * @return the whole document
	 */
	Optional<BsonDocument> load(LeaseId lease) {
		return this.store.load(lease, this.timeout);
	}

	/**
	 * The exception for a ticket that holds nothing. A text may come from anywhere, so it
	 * is the same whether there is such a document or not, and names nobody.
	 * @param key the key of the document that it was sent for
	 * @return the exception
	 */
	static LockLostException notHeld(String key) {
		return new LockLostException(key, UNKNOWN, LossReason.REFUSED, "Lock '" + KeyText.printable(key)
				+ "' is not held by this ticket. Perhaps the document does not exist, was saved with this ticket "
				+ "before, or was overwritten by a plain save. Or perhaps the lock was taken over, released, or "
				+ "released by force");
	}

	/**
	 * Why a lock is not held any more.
	 * @param proof what stood for it
	 * @param lock the lock as it was seen
	 * @param consequence what to add
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
