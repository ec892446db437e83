package io.mongolock.documents;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

import io.mongolock.documents.store.LeaseSecrets;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * What proves possession of a lock on a document, and the version of that which was seen;
 * decides whether a ticket is the holder's.
 *
 * @param lease the lock, with the token that stands in the document
 * @param secret proves possession of the token, and stands nowhere
 * @param fence the number of the grant: no two have one, also if a claim of the token is
 * executed late
 * @param version the version
 * @param draft what the next draft is called, zero for nothing
 */
record LeaseProof(LeaseId lease, byte[] secret, long fence, long version, long draft) {

	/** How many bytes a ticket has of it. */
	static final int SEALED_BYTES = 2 * LeaseSecrets.BYTES;

	String key() {
		return this.lease.key();
	}

	/**
	 * The same lock, for one who has seen another version of the document.
	 * @param version the version
	 * @return the proof
	 */
	LeaseProof at(long version) {
		return new LeaseProof(this.lease, this.secret, this.fence, version, this.draft);
	}

	/**
	 * What its owner has of it: the secret, by which the token is found in the document,
	 * and numbers that only the token shows.
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
	 * What a ticket proves.
	 * @param ticket the ticket, of any document
	 * @param key the key of the document that it was sent for
	 * @param holders who holds that
	 * @return the proof, unless it is none of theirs; also of one whose lease has run out
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
	 * The holder that it proves to be.
	 * @param holders who holds the document
	 * @return the holder, also one whose lease has run out; empty if it is gone, or was
	 * granted once more by a claim that was executed late
	 */
	Optional<StoredHolder> holder(List<StoredHolder> holders) {
		return holders.stream()
			.filter((holder) -> holder.leaseToken().equals(this.lease.leaseToken()) && holder.fence() == this.fence)
			.findFirst();
	}

}
