package io.mongolock.documents;

import java.time.Duration;
import java.util.Optional;

import com.mongodb.client.ClientSession;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.documents.DocumentTransaction.Kept;
import io.mongolock.documents.EntityWriter.Loaded;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;

/**
 * A locked document and the state of its lock: one object for each hold. Each event
 * replaces the state as a whole, under the monitor. Others read the state without the
 * monitor, because they must not wait for this document. The handle is closed outside of
 * the monitor, because that may send a request to the store. One request is sent under
 * the monitor: if the handle was closed during a write that did not release the lock, the
 * end of the write sends the release. <pre>
 * phase      event                              next phase
 * OPEN       a write begins                     WRITING
 *            it is closed                       RELEASED
 *            its ticket is taken, or is
 *            resumed once more                  PASSED_ON
 *            the transaction that saved it
 *            ends with unknown outcome          UNKNOWN
 * WRITING    not written, or saved and kept     OPEN
 *            the lock was gone                  LOST
 *            written and released               RELEASED; in a transaction WRITING
 *            no answer                          UNKNOWN; in a transaction IN_DOUBT
 *            the transaction is committed       RELEASED
 *            it is rolled back                  OPEN
 *            it ends with unknown outcome       UNKNOWN
 * IN_DOUBT   the transaction is rolled back     OPEN
 *            it ends otherwise                  UNKNOWN
 * LOST       as OPEN, and each write is refused
 * UNKNOWN    the commit was refused             RELEASED
 * </pre> In addition, a transaction that has written or renewed it keeps it
 * ({@code writer}). It is not renewed during the transaction that it was locked in
 * ({@code around}). If it is closed while it is not OPEN, the close takes effect when it
 * is OPEN again ({@code closing}).
 *
 * @param <T> the type of the document
 */
final class HeldDocument<T> implements LockedDocument<T>, LockHandle, Kept {

	private final LockedType<T> type;

	private final DocumentTickets tickets;

	private final LockHandle handle;

	private final LeaseProof proof;

	/** The lease that the handle stands for. */
	private final LeaseControl lease;

	/** The thread that locked or resumed it. */
	private final Thread thread = Thread.currentThread();

	private final Writes writes;

	private final HeldContent<T> content;

	private volatile State state = new State(Phase.OPEN, null, null, false);

	/** To run at the commit of an open transaction that has renewed the lease. */
	private Runnable renewalOfTransaction = () -> {
	};

	/**
	 * Whether the transaction in which it was closed is over; the release is still to
	 * come.
	 */
	private volatile boolean letGo;

	/** Whether a nested callback has ended the lock. */
	private volatile boolean endedWithin;

	HeldDocument(LockedType<T> type, Loaded<T> loaded, LockHandle handle, LeaseProof proof, LeaseControl lease,
			DocumentTickets tickets, Writes writes) {
		this.type = type;
		this.content = new HeldContent<>(type, loaded);
		this.handle = handle;
		this.proof = proof;
		this.lease = lease;
		this.tickets = tickets;
		this.writes = writes;
	}

	/**
	 * This document, for nested code that asks for it by another type.
	 * @param <S> the type
	 * @param type the type
	 * @return this
	 * @throws IllegalArgumentException if the entity is not of that type
	 */
	@SuppressWarnings("unchecked") // checked before
	<S> HeldDocument<S> as(Class<S> type) {
		if (!type.isInstance(entity())) {
			throw new IllegalArgumentException(
					"This thread holds the " + this + " as a " + entity().getClass().getName() + ", but now asks for a "
							+ type.getName() + ". Use the same type in both places");
		}
		return (HeldDocument<S>) this;
	}

	LockedType<T> type() {
		return this.type;
	}

	LeaseProof proof() {
		return this.proof;
	}

	@Override
	public String key() {
		return this.proof.key();
	}

	@Override
	public MongoTemplate template() {
		return this.type.template();
	}

	@Override
	public T entity() {
		return loaded().entity();
	}

	Loaded<T> loaded() {
		return this.content.get();
	}

	HeldContent<T> content() {
		return this.content;
	}

	@Override
	public T save(T entity) {
		return this.writes.save(this, entity, false);
	}

	@Override
	public T saveAndKeep(T entity) {
		return this.writes.save(this, entity, true);
	}

	@Override
	public void delete() {
		this.writes.delete(this);
	}

	@Override
	public T reload() {
		// Read first, so that the write of a transaction in the meantime is not replaced
		Loaded<T> before = loaded();
		requireOpen();
		requireCommitted("Reload the document after that transaction has ended");
		Loaded<T> now = this.writes.reload(this);
		this.content.set(before, now);
		return now.entity();
	}

	// A read outside of the transaction sees the document as it was before
	private void requireCommitted(String wayOut) {
		if (this.content.isUncommitted()) {
			throw over("is kept by an open transaction that has written the document. " + wayOut);
		}
	}

	@Override
	public LockHandle handle() {
		return this;
	}

	@Override
	public boolean isHeld() {
		return this.handle.isHeld();
	}

	@Override
	public void assertHeld() {
		this.handle.assertHeld();
	}

	@Override
	public Duration remaining() {
		return this.handle.remaining();
	}

	@Override
	public Optional<ReleaseRequest> releaseRequested() {
		return this.handle.releaseRequested();
	}

	@Override
	public void note(String note) {
		this.handle.note(note);
	}

	@Override
	public void renew() {
		this.handle.renew();
	}

	@Override
	public long fence() {
		return this.proof.fence();
	}

	@Override
	public LockTicket ticket() {
		if (passesOn()) {
			this.handle.close();
		}
		return this.proof.at(loaded().version()).ticket();
	}

	private synchronized boolean passesOn() {
		if (this.state.isWriting() || this.state.phase() == Phase.RELEASED) {
			throw over();
		}
		// After a rollback the ticket's version could match a later write by another
		requireCommitted("Take the ticket after the commit of that transaction, or before that transaction first "
				+ "writes the document");
		boolean passesOn = isOpen() && !isResumed();
		if (passesOn) {
			this.state = this.state.over(Phase.PASSED_ON);
			this.lease.end(LeaseEnd.PASSED_ON);
		}
		return passesOn;
	}

	/**
	 * Note that a nested callback is over.
	 */
	void leftWithin() {
		Phase phase = this.state.phase();
		this.endedWithin |= phase == Phase.RELEASED || phase == Phase.PASSED_ON;
	}

	/**
	 * Check that the lock lasted to the end of the callback that it was taken for.
	 * @throws LockLostException if nested code has ended the lock
	 */
	void assertNotEndedWithin() {
		if (this.endedWithin) {
			throw new LockLostException(key(), fence(), LossReason.REFUSED, "The lock on the " + this
					+ " was released too early by nested code, for example by a save. The outer work may overlap with "
					+ "another holder's work. Call saveAndKeep in nested code, and save only in the outermost code");
		}
	}

	@Override
	public void close() {
		if (closes()) {
			this.handle.close();
		}
	}

	/**
	 * Note that it must be closed. At the end of the callback that it was locked for, the
	 * client closes the handle.
	 * @return whether the handle must be closed now
	 */
	synchronized boolean closes() {
		boolean closes = isOpen();
		this.state = this.state.toClose();
		if (closes) {
			this.state = this.state.in(Phase.RELEASED);
			letGoAfterTransaction();
		}
		return closes;
	}

	// Listeners that hear of the transaction's end before the release may save the
	// document
	private void letGoAfterTransaction() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return Ordered.HIGHEST_PRECEDENCE;
				}

				@Override
				public void afterCompletion(int status) {
					HeldDocument.this.letGo = true;
				}

			});
		}
	}

	/**
	 * End it, because the same thread has resumed the lock again.
	 */
	void supersede() {
		synchronized (this) {
			this.state = this.state.over(Phase.PASSED_ON);
		}
		this.handle.close();
	}

	private void closeIfAsked() {
		if (this.state.closing()) {
			close();
		}
	}

	/**
	 * Note that it was granted inside a transaction, during which it is not renewed.
	 * @param transaction the transaction
	 */
	void grantedIn(DocumentTransaction transaction) {
		synchronized (this) {
			this.state = this.state.lockedIn(transaction);
			this.lease.pause();
		}
		transaction.add(this);
		this.lease.awaitRenewals();
	}

	@Override
	public boolean beginKeep(DocumentTransaction transaction) {
		synchronized (this) {
			State now = this.state;
			if (!isOpen() || now.writer() != null || now.around() != null && now.around() != transaction) {
				return false;
			}
			this.state = now.keptBy(transaction);
			this.lease.suspend();
		}
		transaction.add(this);
		return true;
	}

	@Override
	public void awaitRenewals() {
		this.lease.awaitRenewals();
	}

	@Override
	public void renewIn(ClientSession session) {
		if (!this.tickets.store().renew(this.proof.lease(), session)) {
			lost(Phase.OPEN);
		}
	}

	/**
	 * Whether a transaction of this thread, suspended or not, has written it.
	 * @return whether a write of this thread outside of the transaction would wait for
	 * its end
	 */
	boolean isWrittenByThread() {
		DocumentTransaction writer = this.state.writer();
		return writer != null && writer.isHere();
	}

	/**
	 * Whether only a save that knows the lock may write it.
	 * @return {@code true} also if it was closed or saved by a transaction that is still
	 * open
	 */
	boolean isToBeSaved() {
		return !this.letGo && (this.state.isKept() || isTaken() && isStored());
	}

	// Others may have released, replaced or broken the lock
	private boolean isStored() {
		return this.tickets.look(key())
			.stream()
			.flatMap((lock) -> lock.liveHolders().stream())
			.anyMatch((holder) -> holder.fence() == fence());
	}

	boolean isOpen() {
		return this.state.isOpen();
	}

	/**
	 * Whether this thread has locked or resumed it.
	 * @return {@code false} for threads that have to be handed it
	 */
	boolean isOfThread() {
		return this.thread == Thread.currentThread();
	}

	boolean isResumed() {
		return this.lease instanceof TicketHandle;
	}

	/**
	 * Whether its lock keeps others away, as far as is known.
	 * @return {@code true} also if a write may have released it, or if it was closed and
	 * its release has to wait
	 */
	boolean isTaken() {
		return this.lease.isTaken() || isUnknown();
	}

	/**
	 * Whether the current transaction of this thread has written it.
	 * @return whether that transaction sees the lock as released
	 */
	boolean isWrittenHere() {
		State now = this.state;
		DocumentTransaction writer = now.writer();
		return now.isWriting() && writer != null && writer.isCurrent();
	}

	/**
	 * Whether it is finished.
	 * @return whether it was released, passed on, or refused as lost
	 */
	boolean isDone() {
		State now = this.state;
		return !now.isKept() && !isTaken() && now.phase() != Phase.OPEN;
	}

	/**
	 * Whether a write whose answer was lost may have released it. Its lock is then left
	 * to run out.
	 * @return whether that is so
	 */
	boolean isUnknown() {
		return this.state.phase() == Phase.UNKNOWN;
	}

	/**
	 * Release the lock if its state is unknown, because MongoDB has refused the commit of
	 * the transaction that wrote the document.
	 * @param failure why it was refused
	 */
	void rolledBack(Throwable failure) {
		if (isUnknown()) {
			try {
				this.tickets.release(this.proof);
				synchronized (this) {
					this.state = this.state.in(Phase.RELEASED);
				}
			}
			catch (LockStoreException ex) {
				// It runs out all the same
				failure.addSuppressed(ex);
			}
		}
	}

	/**
	 * Check that a transaction that works under the lock may be committed.
	 * @throws LockLostException if the lock is known to be gone
	 */
	void assertMayCommit() {
		this.lease.assertMayCommit();
	}

	/**
	 * Check that it is neither released nor passed on.
	 * @throws IllegalStateException if it is
	 */
	void requireOpen() {
		if (!isOpen()) {
			throw over();
		}
	}

	/**
	 * Check that an entity is the document as it was last locked, resumed or saved.
	 * @param entity the entity
	 * @param version the version of the entity
	 * @return the document as it was then
	 * @throws OptimisticLockingFailureException if it has another version, or holds
	 * changes that were rolled back
	 */
	Loaded<T> requireVersion(T entity, long version) {
		requireOpen();
		return this.content.requireVersion(toString(), entity, version);
	}

	/**
	 * Note that a statement is about to write the document, and to release or renew the
	 * lock.
	 * @param transaction the transaction that the statement is part of, {@code null} for
	 * none
	 * @return to be run if the statement has renewed the lease
	 * @throws IllegalStateException if the lock was released or passed on before, or if
	 * it is kept by a transaction that is suspended or belongs to another thread
	 */
	Runnable beginWrite(@Nullable DocumentTransaction transaction) {
		Runnable renewal;
		synchronized (this) {
			requireOpen();
			DocumentTransaction writer = this.state.writer();
			if (writer != null && writer != transaction) {
				throw new IllegalStateException(
						"The " + this + " cannot be written here, because this write would wait for "
								+ ((writer.isHere()) ? "the suspended transaction around this code"
										: "a transaction of another thread")
								+ ", which keeps the lock. Write the document inside that transaction, before that "
								+ "transaction, or after that transaction");
			}
			renewal = this.lease.suspend();
			this.state = this.state.in(Phase.WRITING).keptBy(transaction);
		}
		if (transaction != null) {
			transaction.add(this);
			this.lease.awaitRenewals();
		}
		return renewal;
	}

	/**
	 * Note that the statement has written the document.
	 * @param releasing whether it has also released the lock
	 * @param renewal to be run if it has renewed the lease instead
	 * @param takeBack undoes the write in memory, unless it is certain to be committed
	 */
	void written(boolean releasing, Runnable renewal, Runnable takeBack) {
		boolean inTransaction;
		synchronized (this) {
			inTransaction = this.state.writer() != null;
			if (inTransaction) {
				this.content.writtenInTransaction(takeBack);
				this.renewalOfTransaction = renewal;
				this.state = this.state.in((releasing) ? Phase.WRITING : Phase.OPEN);
			}
			else if (!releasing) {
				renewal.run();
				goOn();
			}
		}
		if (!inTransaction && releasing) {
			end(true);
		}
		closeIfAsked();
	}

	/**
	 * Note that the statement has written nothing, and that the lock is held as before.
	 */
	void notWritten() {
		goOn();
		closeIfAsked();
	}

	// A transaction that has tried to write the document keeps it even so
	private synchronized void goOn() {
		this.state = this.state.in(Phase.OPEN);
		if (this.state.writer() == null) {
			renewAgain();
		}
	}

	private void renewAgain() {
		if (this.state.around() != null) {
			this.lease.pause();
		}
		else {
			this.lease.resume();
		}
	}

	/**
	 * Note that the outcome of the statement is unknown. The lock then runs out, or is
	 * resumed by its ticket, unless the statement was part of a transaction that is
	 * rolled back.
	 */
	void unanswered() {
		synchronized (this) {
			if (this.state.writer() != null) {
				this.state = this.state.in(Phase.IN_DOUBT);
				return;
			}
		}
		end(false);
	}

	private void end(boolean released) {
		synchronized (this) {
			this.state = this.state.over((released) ? Phase.RELEASED : Phase.UNKNOWN);
			this.lease.end((released) ? LeaseEnd.RELEASED : LeaseEnd.UNKNOWN);
		}
		this.handle.close();
	}

	@Override
	public void completed(DocumentTransaction transaction, int status) {
		boolean wrote = this.content.isUncommitted();
		boolean released = status == TransactionSynchronization.STATUS_COMMITTED
				&& this.state.phase() != Phase.IN_DOUBT;
		try {
			this.content
				.completed(this.state.isKeptBy(transaction) && status != TransactionSynchronization.STATUS_COMMITTED);
		}
		finally {
			if (endsWith(transaction, status, wrote)) {
				end(released);
			}
			else if (isOpen()) {
				closeIfAsked();
			}
		}
	}

	private synchronized boolean endsWith(DocumentTransaction transaction, int status, boolean wrote) {
		State before = this.state;
		boolean own = before.writer() == transaction;
		this.state = before.without(transaction);
		if (own && ((before.isWriting()) ? status != TransactionSynchronization.STATUS_ROLLED_BACK
				: wrote && before.isOpen() && status == TransactionSynchronization.STATUS_UNKNOWN)) {
			return true;
		}
		if (own && status == TransactionSynchronization.STATUS_COMMITTED) {
			// From now on others see the renewal
			this.renewalOfTransaction.run();
		}
		this.renewalOfTransaction = () -> {
		};
		if (own && before.isWriting()) {
			this.state = this.state.in(Phase.OPEN);
		}
		// If another thread's write is under way, its end does this
		if (this.state.writer() == null && !this.state.isWriting()) {
			renewAgain();
		}
		return false;
	}

	private void lost(Phase phase) {
		synchronized (this) {
			this.state = this.state.in(phase);
			this.lease.end(LeaseEnd.LOST);
		}
		try {
			closeIfAsked();
		}
		catch (LockLostException ex) {
			// The write that found the loss reports it
		}
	}

	/**
	 * Note that the statement has written nothing, because the lock is gone.
	 */
	void refused() {
		lost(Phase.LOST);
	}

	private IllegalStateException over() {
		String end = switch (this.state.phase()) {
			case IN_DOUBT ->
				"may have been released by an unanswered write of this transaction. Roll the transaction back";
			case WRITING -> "was released by a write whose transaction has not ended yet";
			case PASSED_ON -> "was passed on to its ticket. Go on with resume(type, id, ticket)";
			case UNKNOWN ->
				"may have been released by a write whose answer was lost. To find out, call resume(type, id, "
						+ "locked.ticket()), which also shows the stored document. If you do not call resume, the lock "
						+ "ends when its lease runs out";
			default ->
				"was already released by close(), or by a save other than saveAndKeep. Lock the document again. To "
						+ "keep the lock after a save, use saveAndKeep";
		};
		return over(end);
	}

	private IllegalStateException over(String how) {
		return new IllegalStateException("The lock on " + this.type.describe(key()) + " " + how);
	}

	@Override
	public String toString() {
		return "locked " + this.type.describe(key()) + " (fence " + fence() + ")";
	}

	/**
	 * Sends the statements.
	 */
	interface Writes {

		/**
		 * Save the document.
		 * @param <T> its type
		 * @param held the document
		 * @param entity the entity
		 * @param keep whether to keep and renew the lock
		 * @return the saved entity
		 */
		<T> T save(HeldDocument<T> held, T entity, boolean keep);

		/**
		 * Delete the document with its lock.
		 * @param held the document
		 */
		void delete(HeldDocument<?> held);

		/**
		 * Load the document again, under its lock.
		 * @param <T> its type
		 * @param held the document
		 * @return the document as it stands now
		 * @throws LockLostException if the lock is gone
		 */
		<T> Loaded<T> reload(HeldDocument<T> held);

	}

	/**
	 * The phases of the lock.
	 */
	private enum Phase {

		OPEN, WRITING, IN_DOUBT, LOST, RELEASED, PASSED_ON, UNKNOWN

	}

	/**
	 * The state. Immutable.
	 *
	 * @param phase the phase
	 * @param writer the transaction that has written or renewed it; other writes would
	 * wait for the transaction's end
	 * @param around the transaction that it was locked in; a renewal would make that
	 * transaction fail
	 * @param closing whether it was closed
	 */
	private record State(Phase phase, @Nullable DocumentTransaction writer, @Nullable DocumentTransaction around,
			boolean closing) {

		State in(Phase next) {
			return new State(next, this.writer, this.around, this.closing);
		}

		// The end of the surrounding transaction no longer matters
		State over(Phase next) {
			return new State(next, this.writer, null, this.closing);
		}

		State keptBy(@Nullable DocumentTransaction transaction) {
			return new State(this.phase, transaction, this.around, this.closing);
		}

		State lockedIn(DocumentTransaction transaction) {
			return new State(this.phase, this.writer, transaction, this.closing);
		}

		State without(DocumentTransaction over) {
			return new State(this.phase, (this.writer != over) ? this.writer : null,
					(this.around != over) ? this.around : null, this.closing);
		}

		State toClose() {
			return new State(this.phase, this.writer, this.around, true);
		}

		boolean isOpen() {
			return this.phase == Phase.OPEN || this.phase == Phase.LOST;
		}

		boolean isWriting() {
			return this.phase == Phase.WRITING || this.phase == Phase.IN_DOUBT;
		}

		boolean isKept() {
			return this.writer != null || this.around != null;
		}

		boolean isKeptBy(DocumentTransaction transaction) {
			return this.writer == transaction || this.around == transaction;
		}

	}

}
