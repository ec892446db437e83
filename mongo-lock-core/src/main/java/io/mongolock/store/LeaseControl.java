package io.mongolock.store;

import org.jspecify.annotations.Nullable;

/**
 * Access to a lease, for example through its handle. Code beside the store uses it to
 * find the lease, and to end the lease by statements of its own. Users do not need it.
 */
public interface LeaseControl {

	/**
	 * The lease.
	 */
	LeaseId lease();

	/**
	 * The content that the store sent along with the grant.
	 * @return the content at the first call; {@code null} from then on, or if the store
	 * keeps no content
	 */
	@Nullable Object takeContent();

	/**
	 * Whether the store keeps such content, for example the document that has the lock as
	 * a field.
	 */
	boolean hasContent();

	/**
	 * Pause renewals, because they would disturb work that begins or goes on. Until
	 * {@link #resume} or {@link #end} the lease is not renewed, and its holder relies on
	 * it until its deadline.
	 */
	void pause();

	/**
	 * Wait until every renewal that began before the pause has ended. Such a renewal
	 * would end a transaction that writes the same document.
	 */
	void awaitRenewals();

	/**
	 * A statement begins that may end the lease. Until {@link #resume} or {@link #end}
	 * the lease is not renewed, and a renewal that does not find the lease proves
	 * nothing.
	 * @return an action to run when the statement is over and has renewed the lease. The
	 * lease then counts from this beginning. As the statement found the lease, the lock
	 * was granted to nobody else, so it is held again even if the lease had run out
	 */
	Runnable suspend();

	/**
	 * The statement that began is over and has not ended the lease.
	 */
	void resume();

	/**
	 * Check that the work done under the lease may be committed. While a statement is
	 * underway the check passes, because that statement is part of the transaction.
	 * @throws io.mongolock.LockLostException if the lease was lost, unless its request
	 * says to ignore a loss
	 */
	void assertMayCommit();

	/**
	 * Whether the lease keeps others away, as far as is known. This includes its margin,
	 * in which its holder no longer relies on it. If its handle was closed inside a
	 * transaction, this also includes the time until the transaction ends.
	 */
	boolean isTaken();

	/**
	 * The lease has ended, so the client no longer releases it.
	 */
	void end(LeaseEnd end);

}
