package io.mongolock.mongodb;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;

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
import io.mongolock.mongodb.DocumentTransaction.Kept;
import io.mongolock.mongodb.EntityWriter.Loaded;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.Leased;

/**
 * A locked document, and what has become of its lock: one object for each hold. The state
 * is changed under the monitor; what others look at is volatile, since they must not wait
 * for this document. The handle is closed outside of it, which may ask the store; under
 * it is sent the release of what was closed while a write was underway that did not
 * release it.
 *
 * @param <T> the type of the document
 */
final class HeldDocument<T> implements LockedDocument<T>, LockHandle, Kept {

	private final LockedType<T> type;

	private final DocumentTickets tickets;

	private final LockHandle handle;

	private final LeaseProof proof;

	/** What the handle stands for. */
	private final Leased lease;

	/** The thread that locked or resumed it. */
	private final Thread thread = Thread.currentThread();

	private final Writes writes;

	private Loaded<T> loaded;

	/** Whether a rollback has undone what its entity may hold. */
	private boolean stale;

	/** Objects that hold what was rolled back. */
	private final Set<Object> spoiled = Collections.newSetFromMap(new IdentityHashMap<>());

	private volatile State state = State.OPEN;

	/** The transaction that has written it, so that others would wait for its end. */
	private volatile @Nullable DocumentTransaction writer;

	/** The transaction that it was locked in, which a renewal would fail. */
	private volatile @Nullable DocumentTransaction around;

	/** Undo in memory what a running transaction writes, the last first. */
	private final Deque<Runnable> takeBacks = new ArrayDeque<>();

	/** Says that a running transaction has renewed the lease. */
	private Runnable renewalOfTransaction = () -> {
	};

	/** Whether the answer of a write in a running transaction was lost. */
	private boolean unanswered;

	private volatile boolean closing;

	/**
	 * Whether the transaction that closed it is over, whose end has yet to release it.
	 */
	private volatile boolean letGo;

	/** Whether a write was refused, so that its caller knows of the loss. */
	private volatile boolean refused;

	/** Whether a callback within the one that it was locked for has ended it. */
	private volatile boolean endedWithin;

	HeldDocument(LockedType<T> type, Loaded<T> loaded, LockHandle handle, LeaseProof proof, Leased lease,
			DocumentTickets tickets, Writes writes) {
		this.type = type;
		this.loaded = loaded;
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
			throw new IllegalArgumentException("This thread holds the " + this + " already, as a "
					+ entity().getClass().getName() + " and no " + type.getName() + ": ask for one type");
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

	synchronized Loaded<T> loaded() {
		if (this.stale) {
			this.loaded = this.type.read(this.loaded.stored());
			this.stale = false;
		}
		return this.loaded;
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
		Loaded<T> before;
		synchronized (this) {
			requireOpen();
			requireCommitted("load it again after its end");
			before = this.loaded;
		}
		Loaded<T> now = this.writes.reload(this);
		loaded(before, now);
		return now.entity();
	}

	// A look outside of the transaction sees the document as it was before
	private void requireCommitted(String wayOut) {
		if (!this.takeBacks.isEmpty()) {
			throw over("is kept by a transaction that has written the document and is not over: " + wayOut);
		}
	}

	/**
	 * The document was written and is still locked.
	 * @param before as it stood before, or it was written once more meanwhile
	 * @param loaded as it stands now
	 */
	synchronized void loaded(Loaded<T> before, Loaded<T> loaded) {
		if (this.loaded == before) {
			this.loaded = loaded;
			this.stale = false;
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
		if (this.state == State.WRITING || this.state == State.RELEASED) {
			throw over();
		}
		// After a rollback it would be good for what another writes then
		requireCommitted("take the ticket after its commit, or before it writes");
		boolean passesOn = this.state == State.OPEN && !isResumed();
		if (passesOn) {
			this.state = State.PASSED_ON;
			this.lease.end(LeaseEnd.PASSED_ON);
		}
		return passesOn;
	}

	/**
	 * A callback within that one is over.
	 */
	void leftWithin() {
		this.endedWithin |= this.state == State.RELEASED || this.state == State.PASSED_ON;
	}

	/**
	 * Check that the callback that it was locked for had the lock to its end.
	 * @throws LockLostException if what ran within it has ended the lock
	 */
	void assertNotEndedWithin() {
		if (this.endedWithin) {
			throw new LockLostException(key(), fence(), LossReason.REFUSED, "The lock on the " + this
					+ " was released by what ran within it, for example a save, before its own "
					+ "end; what was done after that may overlap with another holder's work. Let the outermost save "
					+ "release it, and those within use saveAndKeep");
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
		boolean closes = this.state == State.OPEN;
		if (closes) {
			this.state = State.RELEASED;
			letGoAfterTransaction();
		}
		this.closing = true;
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
		this.state = State.PASSED_ON;
		this.handle.close();
	}

	private void closeIfAsked() {
		if (this.closing) {
			close();
		}
	}

	/**
	 * It was granted inside a transaction, which does not renew it.
	 * @param transaction the transaction
	 */
	void grantedIn(DocumentTransaction transaction) {
		this.around = transaction;
		this.lease.pause();
		transaction.add(this);
		awaitRenewals();
	}

	@Override
	public boolean beginKeep(DocumentTransaction transaction) {
		synchronized (this) {
			if (this.state != State.OPEN || this.writer != null || this.around != null && this.around != transaction) {
				return false;
			}
			this.writer = transaction;
			this.lease.suspend();
		}
		transaction.add(this);
		return true;
	}

	@Override
	public void renewIn(ClientSession session) {
		if (!this.tickets.store().renew(this.proof.lease(), session)) {
			lost();
		}
	}

	@Override
	public void awaitRenewals() {
		this.lease.awaitRenewals();
	}

	boolean isKept() {
		return this.writer != null || this.around != null;
	}

	/**
	 * Whether a transaction of this thread, suspended or not, has written it.
	 * @return whether what the thread writes beside it would wait for it
	 */
	boolean isWrittenByThread() {
		DocumentTransaction writer = this.writer;
		return writer != null && writer.isHere();
	}

	/**
	 * Whether only a save that knows the lock may write it.
	 * @return also if it was closed, or saved, by a transaction that is not over
	 */
	boolean isToBeSaved() {
		return !this.letGo && (isKept() || isTaken() && isStored());
	}

	// Others may have released, replaced or broken it
	private boolean isStored() {
		return this.tickets.look(key())
			.stream()
			.flatMap((lock) -> lock.liveHolders().stream())
			.anyMatch((holder) -> holder.fence() == fence());
	}

	boolean isOpen() {
		return this.state == State.OPEN;
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
		DocumentTransaction writer = this.writer;
		return this.state == State.WRITING && writer != null && writer.isCurrent();
	}

	/**
	 * Whether nothing is left to be done with it.
	 * @return whether it was released, passed on, or refused as lost
	 */
	boolean isOver() {
		return !isKept() && !isTaken() && (this.refused || this.state != State.OPEN);
	}

	/**
	 * Whether a write whose answer was lost may have released it, so that its lock is
	 * left to run out.
	 * @return whether it is left to
	 */
	boolean isUnknown() {
		return this.state == State.UNKNOWN;
	}

	/**
	 * MongoDB has refused the commit of the transaction that has written it.
	 * @param failure why it was refused
	 */
	void rolledBack(Throwable failure) {
		if (isUnknown()) {
			try {
				this.tickets.release(this.proof);
				this.state = State.RELEASED;
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
	synchronized void requireOpen() {
		if (this.state != State.OPEN) {
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
	synchronized Loaded<T> requireVersion(T entity, long version) {
		requireOpen();
		if (this.spoiled.contains(entity)) {
			throw new OptimisticLockingFailureException("The " + this + " was not written: the entity to save was "
					+ "changed in a transaction that was rolled back, and may hold a part of that: change "
					+ "locked.entity(), which is loaded again");
		}
		long own = this.loaded.version();
		if (version != own) {
			throw new OptimisticLockingFailureException(
					"The " + this + " was not written: it was locked, or saved last, " + "in version " + own
							+ ", and the entity to save has version " + version
							+ ", of another time: change locked.entity(), or lock the document again");
		}
		return this.loaded;
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
			DocumentTransaction writer = this.writer;
			if (writer != null && writer != transaction) {
				throw new IllegalStateException("The " + this + " cannot be written here: "
						+ ((writer.isHere()) ? "the transaction around this code keeps it and is suspended"
								: "a transaction of another thread keeps it")
						+ ", so that this write would wait for it. Write it in that transaction, or before or after it");
			}
			renewal = this.lease.suspend();
			this.state = State.WRITING;
			this.writer = transaction;
		}
		if (transaction != null) {
			transaction.add(this);
			awaitRenewals();
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
		synchronized (this) {
			if (this.writer != null) {
				Loaded<T> before = this.loaded;
				this.takeBacks.push(() -> {
					this.loaded = before;
					takeBack.run();
				});
				this.renewalOfTransaction = renewal;
				this.state = (releasing) ? State.WRITING : State.OPEN;
			}
			else if (!releasing) {
				renewal.run();
				goOn();
			}
		}
		if (this.writer == null && releasing) {
			end(State.RELEASED, LeaseEnd.RELEASED);
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
		this.state = State.OPEN;
		if (this.writer != null) {
			return;
		}
		if (this.around != null) {
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
		if (this.writer != null) {
			this.unanswered = true;
		}
		else {
			end(State.UNKNOWN, LeaseEnd.UNKNOWN);
		}
	}

	private void end(State state, LeaseEnd end) {
		synchronized (this) {
			this.state = state;
			this.lease.end(end);
		}
		this.handle.close();
	}

	@Override
	public void completed(DocumentTransaction transaction, int status) {
		boolean wrote = !this.takeBacks.isEmpty();
		boolean keeps = this.writer == transaction || this.around == transaction;
		boolean known = status == TransactionSynchronization.STATUS_COMMITTED && !this.unanswered;
		try {
			takeBack(keeps && status != TransactionSynchronization.STATUS_COMMITTED);
		}
		finally {
			if (endsWith(transaction, status, wrote)) {
				end((known) ? State.RELEASED : State.UNKNOWN, (known) ? LeaseEnd.RELEASED : LeaseEnd.UNKNOWN);
			}
			else if (this.state == State.OPEN) {
				closeIfAsked();
			}
		}
	}

	private synchronized void takeBack(boolean all) {
		try {
			if (all) {
				this.takeBacks.forEach(Runnable::run);
				if (this.type.isMutable()) {
					this.spoiled.add(this.loaded.entity());
				}
				this.stale = true;
			}
		}
		finally {
			this.takeBacks.clear();
		}
	}

	private synchronized boolean endsWith(DocumentTransaction transaction, int status, boolean wrote) {
		boolean own = this.writer == transaction;
		boolean ends = own && ((this.state == State.WRITING) ? status != TransactionSynchronization.STATUS_ROLLED_BACK
				: wrote && this.state == State.OPEN && status == TransactionSynchronization.STATUS_UNKNOWN);
		if (own) {
			this.writer = null;
			this.unanswered = false;
		}
		if (this.around == transaction) {
			this.around = null;
		}
		if (ends) {
			return true;
		}
		if (own && status == TransactionSynchronization.STATUS_COMMITTED) {
			// From here on others see it
			this.renewalOfTransaction.run();
		}
		this.renewalOfTransaction = () -> {
		};
		if (this.state == State.WRITING) {
			this.state = State.OPEN;
		}
		if (!isKept()) {
			this.lease.resume();
		}
		else if (this.writer == null) {
			this.lease.pause();
		}
		return false;
	}

	/**
	 * The lock is gone.
	 */
	private void lost() {
		synchronized (this) {
			this.state = State.OPEN;
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
		lost();
		this.refused = true;
	}

	private IllegalStateException over() {
		String end = switch (this.state) {
			case WRITING -> (this.unanswered)
					? "may have been released by a write of this transaction whose answer was lost: roll it back"
					: "was released by a write of this transaction, which is not over";
			case PASSED_ON -> "was passed on to its ticket: go on with resume(type, id, ticket)";
			case UNKNOWN ->
				"may have been released by a write whose answer was lost: resume(type, id, locked.ticket()) says "
						+ "whether, and shows what is stored; else it runs out";
			default ->
				"was released before, by a save that does not keep it or a close: lock the document again, or use saveAndKeep";
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

	private enum State {

		OPEN, WRITING, RELEASED, PASSED_ON, UNKNOWN

	}

}
