package io.mongolock.documents;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

import io.mongolock.documents.store.LeaseSecrets;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * The proof that a document's lock is held, with the version of the document that was
 * seen. Decides whether a ticket is the holder's.
 *
 * @param lease the lock, with the token that is stored in the document
 * @param secret proves possession of the token, and is stored nowhere
 * @param fence the number of the grant; no two grants share one, even if a claim of the
 * token is executed late
 * @param version the version
 * @param draft the number of the next draft, zero for none
 */
record LeaseProof(LeaseId lease, byte[] secret, long fence, long version, long draft) {

	/** The number of bytes in a ticket. */
	static final int SEALED_BYTES = 2 * LeaseSecrets.BYTES;

	String key() {
		return this.lease.key();
	}

	/**
	 * The proof of the same lock with another version of the document.
	 * @param version the version
	 * @return the proof
	 */
	LeaseProof at(long version) {
		return new LeaseProof(this.lease, this.secret, this.fence, version, this.draft);
	}

	/**
	 * The ticket for the owner of the lock. It consists of the secret, which finds the
	 * token in the document, and of numbers that only the token can decrypt.
	 * @return the ticket
	 */
	LockTicket ticket() {
		byte[] numbers = ByteBuffer.allocate(2 * Long.BYTES).putLong(this.fence).putLong(this.version).array();
		return LockTicket.of(ByteBuffer.allocate(SEALED_BYTES)
			.put(this.secret)
			.put(LeaseSecrets.seal(numbers, this.lease.leaseToken()))
			.array());
	}

	/**
	 * Find the proof in a ticket.
	 * @param ticket the ticket, of any document
	 * @param key the key of the document that the ticket was sent for
	 * @param holders the holders of that document
	 * @return the proof, even if the lease has run out; empty if the ticket is none of
	 * the holders'
	 */
	static Optional<LeaseProof> of(LockTicket ticket, String key, List<StoredHolder> holders) {
		ByteBuffer sealed = ByteBuffer.wrap(ticket.sealed());
		byte[] secret = new byte[LeaseSecrets.BYTES];
		byte[] numbers = new byte[LeaseSecrets.BYTES];
		sealed.get(secret).get(numbers);
		return holders.stream().filter((holder) -> LeaseSecrets.isOf(holder.leaseToken(), secret)).map((holder) -> {
			ByteBuffer opened = ByteBuffer.wrap(LeaseSecrets.open(numbers, holder.leaseToken()));
			return new LeaseProof(new LeaseId(key, holder.leaseToken()), secret, opened.getLong(), opened.getLong(),
					ticket.draft());
		}).filter((proof) -> proof.holder(holders).isPresent()).findFirst();
	}

	/**
	 * Find the holder that owns this proof.
	 * @param holders the holders of the document
	 * @return the holder, even if its lease has run out; empty if it is gone, or if a
	 * claim that was executed late was granted again
	 */
	Optional<StoredHolder> holder(List<StoredHolder> holders) {
		return holders.stream()
			.filter((holder) -> holder.leaseToken().equals(this.lease.leaseToken()) && holder.fence() == this.fence)
			.findFirst();
	}

}
