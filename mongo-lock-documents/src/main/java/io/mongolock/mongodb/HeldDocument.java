package io.mongolock.mongodb;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

import com.mongodb.client.ClientSession;
import org.bson.BsonDocument;
import org.bson.BsonUndefined;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.mongodb.EntityWriter.Loaded;
import io.mongolock.store.LeaseEnd;
import io.mongolock.store.Leased;

/**
 * A locked document, and what has become of its lock. The state is changed under the
 * monitor; what others look at is volatile, since they must not wait for this document.
 * The handle is closed outside of it, which may ask the store; under it is sent the
 * release of what was closed while a write was underway that did not release it.
 *
 * @param <T> the type of the document
 */
final class HeldDocument<T> implements LockedDocument<T> {

	private final LockedType<T> type;

	private final LockHandle handle;

	private final LockTicket ticket;

	/** What the handle stands for. */
	private final Leased lease;

	private final Keeping keeping;

	/** Undo in the caller's objects what a running transaction writes, the last first. */
	private final Deque<Runnable> takeBacks = new ArrayDeque<>();

	private volatile @Nullable Runnable lengthening;

	private Loaded<T> loaded;

	/** The fields that were sent, some of which may be stored without an answer. */
	private final Set<String> sent = new HashSet<>();

	private volatile State state = State.OPEN;

	/** Says that the last statement has renewed the lease. */
	private Runnable renewal = () -> {
	};

	/** Says so of what a running transaction has renewed. */
	private Runnable renewalOfTransaction = this.renewal;

	private volatile boolean closing;

	/** How many writes had no certain answer, but for those that were rolled back. */
	private int doubts;

	private boolean loadedInVain;

	/**
	 * Whether the transaction that closed it is over, whose end has yet to release it.
	 */
	private volatile boolean letGo;

	/** Whether a write was refused, so that its caller knows of the loss. */
	private volatile boolean refused;

	/** Whether a commit may have released it. */
	private volatile boolean undecided;

	/** Who wrote it last. */
	private volatile @Nullable Thread writer;

	HeldDocument(LockedType<T> type, Loaded<T> loaded, LockHandle handle, LockTicket ticket, Leased lease,
			Keeping keeping) {
		this.type = type;
		this.loaded = loaded;
		this.handle = handle;
		this.ticket = ticket;
		this.lease = lease;
		this.keeping = keeping;
	}

	static <T> HeldDocument<T> of(LockedDocument<T> locked) {
		Assert.isInstanceOf(HeldDocument.class, locked, "Only a locked document of this library can be saved");
		return (HeldDocument<T>) locked;
	}

	LockedType<T> type() {
		return this.type;
	}

	LockTicket proof() {
		return this.ticket;
	}

	@Override
	public T entity() {
		return loaded().entity();
	}

	synchronized Loaded<T> loaded() {
		return this.loaded;
	}

	/**
	 * The document was written and is still locked, or that was undone.
	 * @param loaded as it stands now
	 */
	synchronized void loaded(Loaded<T> loaded) {
		this.loaded = loaded;
	}

	@Override
	public LockHandle handle() {
		return this.handle;
	}

	@Override
	public long fence() {
		return this.ticket.fence();
	}

	/**
	 * Before it is passed on to a ticket, the lease is made to last longer.
	 * @param lengthening does so, or throws
	 */
	void beforePassingOn(Runnable lengthening) {
		this.lengthening = lengthening;
	}

	@Override
	public LockTicket ticket() {
		Runnable lengthening = this.lengthening;
		if (lengthening != null && isPassable()) {
			try {
				lengthening.run();
			}
			catch (LockLostException ex) {
				lost();
				throw ex;
			}
		}
		if (passesOn()) {
			this.handle.close();
		}
		return this.ticket;
	}

	private synchronized boolean isPassable() {
		boolean passable = this.state == State.OPEN && !(this.handle instanceof TicketHandle);
		if (passable) {
			this.ticket.text();
		}
		if (passable && isKept()) {
			throw new IllegalStateException("The " + this
					+ " cannot be passed on here for the editing time of its type: "
					+ "the transaction around this code keeps it. Ask for the ticket before it begins, or after it");
		}
		return passable;
	}

	private synchronized boolean passesOn() {
		if (this.state == State.OPEN && !(this.handle instanceof TicketHandle)) {
			// Refused as long as the lock can still be released otherwise
			this.ticket.text();
			this.state = State.PASSED_ON;
			this.lease.end(LeaseEnd.PASSED_ON);
			return true;
		}
		if (this.state != State.PASSED_ON && this.state != State.OPEN) {
			throw over();
		}
		return false;
	}

	/**
	 * The callback that it was locked for is over, whose end closes the handle.
	 */
	void left() {
		closes();
	}

	@Override
	public void close() {
		if (closes()) {
			this.handle.close();
		}
	}

	private synchronized boolean closes() {
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

	private void closeIfAsked() {
		if (this.closing) {
			close();
		}
	}

	/**
	 * The document as it is known before a write.
	 * @return what was mapped of it; another value than any for all that a write without
	 * an answer may have changed
	 */
	synchronized BsonDocument known() {
		BsonDocument known = this.loaded.mapped();
		if (this.doubts > 0 || this.loadedInVain) {
			known = known.clone();
			this.sent.addAll(known.keySet());
			for (String field : this.sent) {
				known.put(field, new BsonUndefined());
			}
		}
		return known;
	}

	/**
	 * It was loaded by a transaction that was not committed for certain: what is stored
	 * may be something else.
	 */
	synchronized void loadedInVain() {
		this.loadedInVain = true;
	}

	/**
	 * From here on a transaction keeps the lock: a renewal would fail its save.
	 * @param keeper the transaction
	 * @param renewing whether the transaction renews it, and so keeps others away
	 * @return whether none did before, and there is something to keep
	 */
	synchronized boolean beginKeep(ClientSession keeper, boolean renewing) {
		return this.state == State.OPEN && this.keeping.begin(keeper, renewing, this.lease);
	}

	/**
	 * Wait for a renewal that was underway when a transaction began to keep the lock, or
	 * to write.
	 */
	void awaitRenewals() {
		this.lease.awaitRenewals();
	}

	/**
	 * That transaction is over.
	 * @param keeper the transaction
	 */
	void endKeep(ClientSession keeper) {
		this.keeping.end(keeper, this.lease);
	}

	/**
	 * Whether a transaction around the code of this thread may have written it, by this
	 * claim of its lock or another, and is suspended.
	 * @return whether what the thread writes to it until that goes on would wait for it
	 */
	boolean isSuspended() {
		return TransactionSynchronizationManager.hasResource(this.ticket.lease());
	}

	/**
	 * Whether only a save that knows the lock may write it.
	 * @return also if it was closed, or saved, by a transaction that is not over
	 */
	boolean isToBeSaved() {
		return !this.letGo && (isTaken() || isKept());
	}

	boolean isOpen() {
		return this.state == State.OPEN;
	}

	/**
	 * Whether its lock keeps others away, as far as is known.
	 * @return also in doubt, and if it was closed and its release has to wait
	 */
	boolean isTaken() {
		return !this.keeping.isOver() && (this.lease.isTaken() || this.undecided && this.lease.mayStand());
	}

	/**
	 * Whether another is locked by a later grant, so that this one's has ended.
	 * @param later the other
	 * @return whether both are the same document
	 */
	boolean isBefore(HeldDocument<?> later) {
		return fence() < later.fence() && proof().key().equals(later.proof().key()) && this.type.isBeside(later.type);
	}

	/**
	 * Whether the transaction that this thread is in has released it.
	 * @param other the document as another claim has locked it
	 * @return whether that one has written it
	 */
	boolean isWrittenHereBy(HeldDocument<?> other) {
		return other.isWrittenHere() && other.type().isBeside(this.type);
	}

	/**
	 * Whether the transaction that this thread is in has written it.
	 * @return whether it sees the lock released
	 */
	boolean isWrittenHere() {
		return this.state == State.WRITING && this.writer == Thread.currentThread() && !isSuspended();
	}

	boolean isKept() {
		return this.keeping.isKept();
	}

	boolean isKeptBy(ClientSession transaction) {
		return this.keeping.isKeptBy(transaction);
	}

	/**
	 * Whether nothing is left to be done with it.
	 * @return whether it was released, passed on, or refused as lost
	 */
	boolean isOver() {
		return !isKept() && !isTaken()
				&& (this.refused || this.state == State.RELEASED || this.state == State.PASSED_ON);
	}

	/**
	 * Whether a commit without a certain answer may have released it, so that its lock is
	 * left to run out.
	 * @return whether it is left to
	 */
	boolean isUndecided() {
		return this.undecided;
	}

	/**
	 * It has not, and the lock was released by itself.
	 */
	void decided() {
		this.undecided = false;
	}

	/**
	 * Check that a transaction that works under the lock may be committed.
	 * @throws io.mongolock.LockLostException if the lock is known to be gone
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
	 * A statement is about to write the document, and to release the lock or to renew it.
	 * @param fields what it sets of a document that stays locked
	 * @param session the transaction that it is part of, {@code null} for none
	 * @throws IllegalStateException if the lock was released or passed on before, or the
	 * transaction that has written it is suspended or another thread's
	 */
	synchronized void beginWrite(Collection<String> fields, @Nullable ClientSession session) {
		requireOpen();
		if (isSuspended()) {
			throw new IllegalStateException("The " + this + " cannot be written here: the transaction around this code "
					+ "keeps it and is suspended, so that this write would wait for it, or be undone by it unseen. "
					+ "Write it in that transaction, or before that begins");
		}
		Runnable renewal = this.keeping.beginWrite(this, session, this.lease);
		if (renewal == null) {
			throw new IllegalStateException("The " + this + " cannot be written here: a transaction of another thread "
					+ "keeps it, and this write would wait for that. Write it in that transaction, or after it");
		}
		this.state = State.WRITING;
		this.writer = Thread.currentThread();
		this.sent.addAll(fields);
		this.renewal = renewal;
	}

	/**
	 * It has written it, and the lock is kept.
	 * @param inTransaction whether that is up to a commit
	 */
	void writtenAndKept(boolean inTransaction) {
		synchronized (this) {
			this.state = State.OPEN;
			if (inTransaction) {
				this.renewalOfTransaction = this.renewal;
			}
			else {
				this.renewal.run();
				this.keeping.endWrite(this, this.lease);
			}
		}
		closeIfAsked();
	}

	/**
	 * It has done so as part of a transaction.
	 * @param takeBack undoes in the caller's objects what was written, unless that is
	 * committed for certain
	 * @return whether it is the first of this transaction, which has to tell its
	 * {@link #completed end}
	 */
	synchronized boolean writtenInTransaction(Runnable takeBack) {
		this.takeBacks.push(takeBack);
		return this.takeBacks.size() == 1;
	}

	/**
	 * The transaction that has written the document is over.
	 * @param status how, as {@link TransactionSynchronization} has it
	 */
	void completed(int status) {
		try {
			takeBack(status != TransactionSynchronization.STATUS_COMMITTED);
		}
		finally {
			decide(status, status != TransactionSynchronization.STATUS_UNKNOWN);
		}
	}

	private synchronized void takeBack(boolean all) {
		try {
			if (all) {
				this.takeBacks.forEach(Runnable::run);
			}
		}
		finally {
			this.takeBacks.clear();
		}
	}

	private void decide(int status, boolean known) {
		boolean released;
		synchronized (this) {
			released = this.state == State.WRITING;
			if (!released) {
				this.doubts += (known) ? 0 : 1;
				if (status == TransactionSynchronization.STATUS_COMMITTED) {
					// From here on others see it
					this.renewalOfTransaction.run();
				}
				this.keeping.endWrite(this, this.lease);
			}
		}
		if (released && status == TransactionSynchronization.STATUS_ROLLED_BACK) {
			notWritten();
		}
		else if (released) {
			this.undecided = !known;
			end((known) ? LeaseEnd.RELEASED : LeaseEnd.UNKNOWN);
		}
	}

	/**
	 * It has written it and released the lock.
	 */
	void written() {
		end(LeaseEnd.RELEASED);
	}

	private void end(LeaseEnd end) {
		synchronized (this) {
			this.state = State.RELEASED;
			this.keeping.leave(this, end == LeaseEnd.RELEASED);
			this.lease.end(end);
		}
		this.handle.close();
	}

	/**
	 * It has not, and the lock is held as before.
	 */
	void notWritten() {
		synchronized (this) {
			this.state = State.OPEN;
			if (this.takeBacks.isEmpty()) {
				this.keeping.endWrite(this, this.lease);
			}
			// Else when what it has written before is decided on
		}
		closeIfAsked();
	}

	/**
	 * It failed without a certain answer.
	 * @param write what may have released the lock, or will when it is executed
	 * @return to be run if it was part of a transaction that was rolled back
	 */
	Runnable unanswered(ReleasingWrite write) {
		Runnable undone;
		synchronized (this) {
			this.doubts++;
			undone = (write.releases()) ? this.lease.doubt(!write.versioned()) : () -> {
			};
		}
		notWritten();
		return () -> undone(undone);
	}

	private synchronized void undone(Runnable undone) {
		this.doubts--;
		undone.run();
	}

	private synchronized boolean isInDoubt() {
		return this.doubts > 0;
	}

	/**
	 * The lock is gone.
	 */
	void lost() {
		synchronized (this) {
			this.state = State.OPEN;
			this.keeping.leave(this, true);
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
	 * It has not, because the document has another version.
	 * @return what to add to the reason
	 */
	String outdated() {
		notWritten();
		if (isLoadedInVain()) {
			return "; it was loaded by a transaction that was not committed: lock it again";
		}
		return (isInDoubt())
				? "; a write before, whose answer was lost, may be what has raised it: see what is stored, and go on, by "
						+ "resume(type, locked.ticket())"
				: "";
	}

	private synchronized boolean isLoadedInVain() {
		return this.loadedInVain;
	}

	/**
	 * It has not, because the lock is gone.
	 * @return what to add to the reason
	 */
	String refused() {
		lost();
		this.refused = true;
		return (isInDoubt()) ? "; a write before, whose answer was lost, may be what has released it"
				: "; nothing was written";
	}

	private IllegalStateException over() {
		return switch (this.state) {
			case WRITING -> releasedInTransaction(this.type, this.ticket);
			case PASSED_ON -> over(this.type, this.ticket, "passed on to its ticket: go on with resume(…, ticket)");
			default -> over(this.type, this.ticket,
					"released before, by a save that does not keep it or a close: lock the document again, or use saveAndKeep");
		};
	}

	static IllegalStateException releasedInTransaction(LockedType<?> type, LockTicket ticket) {
		return over(type, ticket, "released by a write of this transaction, which is not over");
	}

	private static IllegalStateException over(LockedType<?> type, LockTicket ticket, String how) {
		return new IllegalStateException("The lock on " + type.describe(ticket.key()) + " was " + how);
	}

	@Override
	public String toString() {
		return "locked " + this.type.describe(this.ticket.key()) + " (fence " + fence() + ")";
	}

	private enum State {

		OPEN, WRITING, RELEASED, PASSED_ON

	}

}
