package io.mongolock.documents;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;

/**
 * Locks documents of the application while they are edited. The lock is a field of the
 * document: one statement claims the lock and loads the document, and one statement saves
 * the document and releases the lock. Documents to lock need an {@code @Id} and a
 * {@code @Version}. A grant raises the version. So a copy that was read before can no
 * longer be saved, not even by code that knows nothing of the lock.
 * <p>
 * Each hold has one {@link LockedDocument}. Annotated methods and {@link #execute} within
 * the hold get this object. Any other claim of the same document by its thread fails with
 * an {@link IllegalStateException}. If the answer to a write is lost, the
 * {@link LockedDocument} is closed. Its lock then runs out, or is resumed by its ticket,
 * which also shows the stored document. A transaction that includes the template's
 * statements must belong to a {@code MongoTransactionManager}. In any other one, locking
 * and writing documents fails with an {@link IllegalStateException}.
 * <p>
 * A lock that has run out stays with its holder until another is granted it: a save by
 * the holder still succeeds. Claims, renewals and plain releases never join a transaction
 * of the caller. Writes of a {@link LockedDocument} do, and the commit then releases the
 * lock. All calls return, and run callbacks, on the caller's thread. Listeners hear of
 * losses and breaks on threads of this library. Events of loads, saves and deletions are
 * published even if the template is set to publish none. Thread-safe.
 */
public interface DocumentLockOperations {

	/**
	 * Lock a document with the configured settings: those for the name of its collection,
	 * then those for all locks.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @return the document, which the caller must close unless it is saved or passed on
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another still held the lock after the wait
	 * timeout; says who, since when and until when
	 * @throws LockStoreException if MongoDB could not be asked within the wait timeout
	 */
	default <T> LockedDocument<T> lock(Class<T> type, Object id) {
		return lock(type, id, LockSettings.NONE);
	}

	/**
	 * Lock a document.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param settings how to lock; open settings are as configured. They must set no
	 * limit other than 1, and no minimum hold
	 * @return the document, which the caller must close unless it is saved or passed on
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another still held the lock after the wait
	 * timeout; says who, since when and until when
	 * @throws LockStoreException if MongoDB could not be asked within the wait timeout
	 */
	<T> LockedDocument<T> lock(Class<T> type, Object id, LockSettings settings);

	/**
	 * Lock a document with the configured settings, unless another holds the lock.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @return the document, which the caller must close unless it is saved or passed on;
	 * empty, at once, if another holds the lock
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockStoreException if MongoDB could not be asked
	 */
	default <T> Optional<LockedDocument<T>> tryLock(Class<T> type, Object id) {
		return tryLock(type, id, LockSettings.NONE);
	}

	/**
	 * Lock a document, unless another holds the lock. Asks once: the wait timeout is
	 * ignored, and no place in the queue is taken. The lock is also not free while
	 * another's open transaction has written the document.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param settings how to lock, as for {@link #lock(Class, Object, LockSettings)}
	 * @return the document, which the caller must close unless it is saved or passed on;
	 * empty, at once, if another holds the lock
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockStoreException if MongoDB could not be asked
	 */
	<T> Optional<LockedDocument<T>> tryLock(Class<T> type, Object id, LockSettings settings);

	/**
	 * Lock a document even if a given holder still has it. That holder loses the lock:
	 * its saves and updates are refused from now on. Asks once, in a single atomic
	 * statement. Listeners of this client are notified.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param fence the number of the grant to take over, as told by {@link #find} and
	 * {@link LockUnavailableException#getHolders}
	 * @param settings how to lock, as for {@link #lock(Class, Object, LockSettings)}; the
	 * wait timeout is ignored
	 * @return the document, which the caller must close unless it is saved or passed on
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another holder has it by now; says who, since
	 * when and until when
	 * @throws LockStoreException if MongoDB could not be asked
	 * @throws IllegalStateException as {@link #renew} does
	 */
	<T> LockedDocument<T> takeOver(Class<T> type, Object id, long fence, LockSettings settings);

	/**
	 * Check that documents of a type can be locked. Call this at the start of an
	 * application. Methods annotated with {@code @DistributedLock(document = …)} are
	 * checked without this call. Sends nothing to a server.
	 * @param type the type
	 * @throws IllegalArgumentException if they cannot, for example because they have no
	 * version
	 */
	void check(Class<?> type);

	/**
	 * Run the callback under the lock of a document, like a method annotated with
	 * {@code @DistributedLock(document = …)}. A lock that the callback has not released
	 * or passed on is released at the callback's end. If this thread already holds the
	 * lock, the callback runs under this hold, with the same {@link LockedDocument}.
	 * @param <T> the type of the document
	 * @param <R> what the callback returns
	 * @param <E> what the callback throws
	 * @param type the type of the document
	 * @param id its id
	 * @param how completes the request, which has the collection's name; it must set no
	 * limit other than 1, and no minimum hold
	 * @param callback the work
	 * @return what the callback returned
	 * @throws E what the callback threw; the loss of the lock, if any, is added as a
	 * suppressed exception
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another still held the lock after the wait
	 * timeout; says who, since when and until when
	 * @throws LockLostException after the callback, if the lock was lost or nested code
	 * ended it while the callback ran, unless the request says {@link OnLost#IGNORE}
	 */
	<T, R extends @Nullable Object, E extends Throwable> R execute(Class<T> type, Object id,
			Consumer<LockRequest.Builder> how, DocumentCallback<T, R, E> callback) throws E;

	/**
	 * Go on with a lock that this or another instance has passed on. This JVM does not
	 * renew it. Save the document, release the lock, or leave the lock to its ticket:
	 * {@link LockedDocument#close() closing} the document releases nothing. A document
	 * that this thread resumed by the same ticket before can no longer be used.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param ticket the ticket
	 * @return the document as it stands now
	 * @throws DocumentChangedException if the document was changed after the ticket's
	 * version, other than by the ticket's {@link LockTicket#draft draft}; the lock is
	 * still held
	 * @throws LockLostException if the ticket does not hold the lock any more, or never
	 * did. The exception does not say which is the case, or who holds the lock now;
	 * {@link #find} returns the holder
	 * @throws IllegalStateException as {@link #renew} does
	 */
	<T> LockedDocument<T> resume(Class<T> type, Object id, LockTicket ticket);

	/**
	 * Renew a lock that was passed on, for its ttl: the editor's heartbeat. The ticket
	 * has to prove possession of the lock only; its version does not matter.
	 * @param type the type of the document
	 * @param id its id
	 * @param ticket the ticket
	 * @throws LockLostException as {@link #resume} does
	 * @throws IllegalStateException if a transaction of this thread has written the
	 * document, because this call would wait for the transaction's end
	 */
	void renew(Class<?> type, Object id, LockTicket ticket);

	/**
	 * Release a lock that was passed on, and leave the document as it is.
	 * @param type the type of the document
	 * @param id its id
	 * @param ticket the ticket
	 * @return whether it was still held; if not, nothing was done
	 * @throws IllegalStateException as {@link #renew} does
	 */
	boolean release(Class<?> type, Object id, LockTicket ticket);

	/**
	 * List the held locks of a type's documents, in the order of the documents' ids.
	 * Reads the whole collection unless it has a sparse index on {@code lock.holders.0}.
	 * @param type the type of the documents
	 * @return the locks that are held now
	 */
	List<DocumentLock> list(Class<?> type);

	/**
	 * Find the lock of a document, with its holder.
	 * @param type the type of the document
	 * @param id its id
	 * @return the lock, or empty if it is free or there is no such document
	 */
	Optional<DocumentLock> find(Class<?> type, Object id);

	/**
	 * Take the lock of a document from its holder, even a lock that has run out. The
	 * holder's saves and updates are refused from now on. Listeners of this client are
	 * notified.
	 * @param type the type of the document
	 * @param id its id
	 * @return the holder that lost the lock, or empty if there was none
	 * @throws IllegalStateException as {@link #renew} does
	 */
	Optional<LockHolder> breakLock(Class<?> type, Object id);

}
