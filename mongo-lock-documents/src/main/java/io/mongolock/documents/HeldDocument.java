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
 * A locked document, and what has become of its lock: one object for each hold. Each
 * event replaces its state as a whole, under the monitor; others look at it without,
 * since they must not wait for this document. The handle is closed outside of it, which
 * may ask the store; under it is sent the release of what was closed while a write was
 * underway that did not release it. <pre>
 * phase      event                              next phase
 * OPEN       a write begins                     WRITING
 *            it is closed                       RELEASED
 *            its ticket is taken, or is
 *            resumed once more                  PASSED_ON
 *            the transaction that saved it
 *            ends, nobody knows how             UNKNOWN
 * WRITING    not written, or saved and kept     OPEN
 *            the lock was gone                  LOST
 *            written and released               RELEASED; in a transaction WRITING
 *            no answer                          UNKNOWN; in a transaction IN_DOUBT
 *            the transaction is committed       RELEASED
 *            it is rolled back                  OPEN
 *            nobody knows how it ends           UNKNOWN
 * IN_DOUBT   the transaction is rolled back     OPEN
 *            it ends otherwise                  UNKNOWN
 * LOST       as OPEN, and each write is refused
 * UNKNOWN    the commit was refused             RELEASED
 * </pre> Besides, it is kept by the transaction that has written it or renewed it
 * ({@code writer}), and not renewed during the one that it was locked in
 * ({@code around}). If it is closed while it is not OPEN ({@code closing}), that is done
 * when it is OPEN again.
 *
 * @param <T> the type of the document
 */
final class HeldDocument<T> implements LockedDocument<T>, LockHandle, Kept {

	private final LockedType<T> type;

	private final DocumentTickets tickets;

	private final LockHandle handle;

	private final LeaseProof proof;

	/** What the handle stands for. */
	private final LeaseControl lease;

	/** The thread that locked or resumed it. */
	private final Thread thread = Thread.currentThread();

	private final Writes writes;

	private final HeldContent<T> content;

	private volatile State state = new State(Phase.OPEN, null, null, false);

	/** Says that a running transaction has renewed the lease. */
	private Runnable renewalOfTransaction = () -> {
	};

	/**
	 * Whether the transaction that closed it is over, whose end has yet to release it.
	 */
	private volatile boolean letGo;

	/** Whether a callback within the one that it was locked for has ended it. */
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
	 * The same, for those within that ask for it by a type of their own.
	 * @param <S> the type
	 * @param type the type
	 * @return this
	 * @throws IllegalArgumentException if it was locked as something else
	 */
	@SuppressWarnings("unchecked") // looked at before
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
		// First: a transaction that writes it meanwhile has the last word
		Loaded<T> before = loaded();
		requireOpen();
		requireCommitted("Reload the document after that transaction has ended");
		Loaded<T> now = this.writes.reload(this);
		this.content.set(before, now);
		return now.entity();
	}

	// A look outside of the transaction sees the document as it was before
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
		// After a rollback it would be good for what another writes then
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
	 * A callback within that one is over.
	 */
	void leftWithin() {
		Phase phase = this.state.phase();
		this.endedWithin |= phase == Phase.RELEASED || phase == Phase.PASSED_ON;
	}

	/**
	 * Check that the callback that it was locked for had the lock to its end.
	 * @throws LockLostException if what ran within it has ended the lock
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
	 * It is to be closed. The end of the callback that it was locked for closes the
	 * handle itself.
	 * @return whether its handle is to be closed now
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

	// Listeners that hear of the end before it is released may save it
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
	 * It was resumed once more by the same thread.
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
	 * It was granted inside a transaction, which does not renew it.
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
	 * @return whether what the thread writes beside it would wait for it
	 */
	boolean isWrittenByThread() {
		DocumentTransaction writer = this.state.writer();
		return writer != null && writer.isHere();
	}

	/**
	 * Whether only a save that knows the lock may write it.
	 * @return also if it was closed, or saved, by a transaction that is not over
	 */
	boolean isToBeSaved() {
		return !this.letGo && (this.state.isKept() || isTaken() && isStored());
	}

	// Others may have released, replaced or broken it
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
	 * @return whether others have to be handed it
	 */
	boolean isOfThread() {
		return this.thread == Thread.currentThread();
	}

	boolean isResumed() {
		return this.lease instanceof TicketHandle;
	}

	/**
	 * Whether its lock keeps others away, as far as is known.
	 * @return also if a write may have released it, and if it was closed and its release
	 * has to wait
	 */
	boolean isTaken() {
		return this.lease.isTaken() || isUnknown();
	}

	/**
	 * Whether the transaction that this thread is in has written it.
	 * @return whether it sees the lock released
	 */
	boolean isWrittenHere() {
		State now = this.state;
		DocumentTransaction writer = now.writer();
		return now.isWriting() && writer != null && writer.isCurrent();
	}

	/**
	 * Whether nothing is left to be done with it.
	 * @return whether it was released, passed on, or refused as lost
	 */
	boolean isDone() {
		State now = this.state;
		return !now.isKept() && !isTaken() && now.phase() != Phase.OPEN;
	}

	/**
	 * Whether a write whose answer was lost may have released it, so that its lock is
	 * left to run out.
	 * @return whether it is left to
	 */
	boolean isUnknown() {
		return this.state.phase() == Phase.UNKNOWN;
	}

	/**
	 * MongoDB has refused the commit of the transaction that has written it.
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
	 * Check that an entity is the document as it was locked or saved last, or resumed.
	 * @param entity the entity
	 * @param version the version of the entity
	 * @return the document as it was then
	 * @throws OptimisticLockingFailureException if it has another one
	 */
	Loaded<T> requireVersion(T entity, long version) {
		requireOpen();
		return this.content.requireVersion(toString(), entity, version);
	}

	/**
	 * A statement is about to write the document, and to release the lock or to renew it.
	 * @param transaction the transaction that it is part of, {@code null} for none
	 * @return says that the statement has renewed the lease
	 * @throws IllegalStateException if the lock was released or passed on before, or
	 * another transaction has written it that is suspended or another thread's
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
	 * It has written it.
	 * @param releasing whether it has released the lock
	 * @param renewal says that it has renewed the lease, if not
	 * @param takeBack undoes in memory what was written, unless that is committed for
	 * certain
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
	 * It has not, and the lock is held as before.
	 */
	void notWritten() {
		goOn();
		closeIfAsked();
	}

	// A transaction that has tried to write it keeps it all the same
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
	 * It failed without a certain answer: the lock runs out, or is resumed by its ticket,
	 * unless it was part of a transaction that is rolled back.
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
			// From here on others see it
			this.renewalOfTransaction.run();
		}
		this.renewalOfTransaction = () -> {
		};
		if (own && before.isWriting()) {
			this.state = this.state.in(Phase.OPEN);
		}
		// A write of another thread that is under way says so itself at its end
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
			// The write that found it says so
		}
	}

	/**
	 * It has not been written, because the lock is gone.
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
		 * @param keep whether the lock is to be kept and renewed
		 * @return the entity as it is saved
		 */
		<T> T save(HeldDocument<T> held, T entity, boolean keep);

		/**
		 * Delete the document with its lock.
		 * @param held the document
		 */
		void delete(HeldDocument<?> held);

		/**
		 * Load the document, which is still locked.
		 * @param <T> its type
		 * @param held the document
		 * @return the document as it stands now
		 * @throws LockLostException if the lock is gone
		 */
		<T> Loaded<T> reload(HeldDocument<T> held);

	}

	/**
	 * What has become of the lock.
	 */
	private enum Phase {

		OPEN, WRITING, IN_DOUBT, LOST, RELEASED, PASSED_ON, UNKNOWN

	}

	/**
	 * The state. Immutable.
	 *
	 * @param phase the phase
	 * @param writer the transaction that has written it, so that others would wait for
	 * its end
	 * @param around the transaction that it was locked in, which a renewal would fail
	 * @param closing whether it was closed
	 */
	private record State(Phase phase, @Nullable DocumentTransaction writer, @Nullable DocumentTransaction around,
			boolean closing) {

		State in(Phase next) {
			return new State(next, this.writer, this.around, this.closing);
		}

		// The end of the transaction that it was locked in changes nothing any more
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
