package io.mongolock.store;

import org.jspecify.annotations.Nullable;

/**
 * Something that stands for a lease, for example a handle: lets code beside the store
 * find the lease and end it by statements of its own, which users have no need to see.
 */
public interface LeaseControl {

	/**
	 * The lease.
	 */
	LeaseId lease();

	/**
	 * The content that the store sent along with the grant.
	 * @return what it keeps with the lock, once; {@code null} from then on, or if it
	 * keeps nothing
	 */
	@Nullable Object takeContent();

	/**
	 * Whether the store keeps such content, for example a document that the lock is a
	 * field of.
	 */
	boolean hasContent();

	/**
	 * Something begins, or goes on, that a renewal would disturb: until {@link #resume}
	 * or {@link #end} the lease is not renewed, and is relied on until its deadline.
	 */
	void pause();

	/**
	 * Wait until no renewal is underway that began before the pause: one would end a
	 * transaction that writes the same document.
	 */
	void awaitRenewals();

	/**
	 * A statement begins that may end the lease: until {@link #resume} or {@link #end} it
	 * is not renewed, and a renewal that does not find it says nothing.
	 * @return to be run if that statement is over and has renewed the lease, which counts
	 * from this beginning. It has found the lease, so nobody else was granted it: it is
	 * held again also if it had run out
	 */
	Runnable suspend();

	/**
	 * The statement that began is over and has not ended the lease.
	 */
	void resume();

	/**
	 * Check that what was done under the lease may be committed: a statement that is
	 * underway is part of the transaction.
	 * @throws io.mongolock.LockLostException if it was lost, unless its request says to
	 * ignore that
	 */
	void assertMayCommit();

	/**
	 * Whether it keeps others away, as far as is known: also in the margin that nobody
	 * relies on, and after its handle was closed inside a transaction, until that ends.
	 */
	boolean isTaken();

	/**
	 * The lease has ended: nothing is to be released any more.
	 */
	void end(LeaseEnd end);

}
