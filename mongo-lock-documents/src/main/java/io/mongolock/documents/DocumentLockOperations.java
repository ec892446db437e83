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
 * Locks documents of the application, for those who edit them: the lock is a field of the
 * document, so that claim and load, and save and release, are one statement each. What is
 * locked has an {@code @Id} and a {@code @Version}, which a grant raises: a copy that was
 * read before can no longer be saved, also by code that knows nothing of the lock.
 * <p>
 * A hold has one {@link LockedDocument}. A method or {@link #execute} within it is handed
 * the same; a second claim of its thread by code is an {@link IllegalStateException}. A
 * write whose answer is lost closes it: the lock runs out, or is resumed by its ticket,
 * which shows what is stored. Where the statements of the template are part of a
 * transaction that is none of a {@code MongoTransactionManager}, documents are neither
 * locked nor written: an {@link IllegalStateException}.
 * <p>
 * A lock that has run out is held as long as nobody else was granted it: a save by its
 * holder goes through. Claims, renewals and plain releases never join a transaction of
 * the caller; what a {@link LockedDocument} writes does, and the lock is then released by
 * the commit. All calls return, and call back, on the thread of the caller; listeners
 * hear of losses and breaks on threads of this library. Events of a load, a save and a
 * deletion are published also if the template is set to publish none. Thread-safe.
 */
public interface DocumentLockOperations {

	/**
	 * Lock a document, with all settings left to the configuration: for the name of its
	 * collection, then for all locks.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @return the document, to be closed by the caller unless saved or passed on
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another still held the lock after the wait
	 * timeout: who, since when and until when
	 * @throws LockStoreException if MongoDB could not be asked within the wait
	 */
	default <T> LockedDocument<T> lock(Class<T> type, Object id) {
		return lock(type, id, LockSettings.NONE);
	}

	/**
	 * Lock a document.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param settings how; what they leave open is as configured. A limit other than 1
	 * and a minimum hold make no sense here
	 * @return the document, to be closed by the caller unless saved or passed on
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another still held the lock after the wait
	 * timeout: who, since when and until when
	 * @throws LockStoreException if MongoDB could not be asked within the wait
	 */
	<T> LockedDocument<T> lock(Class<T> type, Object id, LockSettings settings);

	/**
	 * Lock a document if nobody else holds it, with all settings left to the
	 * configuration.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @return the document, to be closed by the caller unless saved or passed on; empty
	 * at once if another holds it
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockStoreException if MongoDB could not be asked
	 */
	default <T> Optional<LockedDocument<T>> tryLock(Class<T> type, Object id) {
		return tryLock(type, id, LockSettings.NONE);
	}

	/**
	 * Lock a document if nobody else holds it. It is asked for once: no wait timeout
	 * counts, and no place in the queue is taken. It is not free, either, while a
	 * transaction of another lasts that has written it.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param settings how, as for {@link #lock(Class, Object, LockSettings)}
	 * @return the document, to be closed by the caller unless saved or passed on; empty
	 * at once if another holds it
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockStoreException if MongoDB could not be asked
	 */
	<T> Optional<LockedDocument<T>> tryLock(Class<T> type, Object id, LockSettings settings);

	/**
	 * Lock a document also if one holder has it, who loses it then: its saves and updates
	 * are refused from now on. It is asked for once, in one statement that nobody can
	 * come between. Listeners of this client are notified.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param fence the number of the grant to take over, as {@link #find} and
	 * {@link LockUnavailableException#getHolders} have it
	 * @param settings how, as for {@link #lock(Class, Object, LockSettings)}; no wait
	 * timeout counts
	 * @return the document, to be closed by the caller unless saved or passed on
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another has it by now: who, since when and
	 * until when
	 * @throws LockStoreException if MongoDB could not be asked
	 * @throws IllegalStateException as {@link #renew} does
	 */
	<T> LockedDocument<T> takeOver(Class<T> type, Object id, long fence, LockSettings settings);

	/**
	 * Check that documents of a type can be locked, for the start of an application.
	 * Methods that are annotated with {@code @DistributedLock(document = …)} are checked
	 * without this. Asks no server.
	 * @param type the type
	 * @throws IllegalArgumentException if they cannot, for example because they have no
	 * version
	 */
	void check(Class<?> type);

	/**
	 * Run the callback under the lock of a document, as a method is run that is annotated
	 * with {@code @DistributedLock(document = …)}. What it neither saved nor released nor
	 * passed on is released at its end. A thread that holds the lock already runs it
	 * under that, with the same document.
	 * @param <T> the type of the document
	 * @param <R> what the callback returns
	 * @param <E> what the callback throws
	 * @param type the type of the document
	 * @param id its id
	 * @param how completes the request, which is named like the collection; a limit other
	 * than 1 and a minimum hold make no sense here
	 * @param callback the work
	 * @return what the callback returned
	 * @throws E what the callback threw; a lost lock is then added as suppressed
	 * @throws NoSuchDocumentException if there is no such document
	 * @throws LockUnavailableException if another still held the lock after the wait
	 * timeout: who, since when and until when
	 * @throws LockLostException after the callback, if the lock was lost, or ended by
	 * what ran within, while it ran and the request does not say {@link OnLost#IGNORE}
	 */
	<T, R extends @Nullable Object, E extends Throwable> R execute(Class<T> type, Object id,
			Consumer<LockRequest.Builder> how, DocumentCallback<T, R, E> callback) throws E;

	/**
	 * Go on with a lock that was passed on, here or by another instance. It is not
	 * renewed by this JVM, and to be saved, released, or left to its ticket:
	 * {@link LockedDocument#close() closing} it releases nothing. What this thread has
	 * resumed by the same ticket before is over.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param ticket the ticket
	 * @return the document as it stands now
	 * @throws DocumentChangedException if the document was changed since the version of
	 * the ticket, by another than its {@link LockTicket#draft draft}; the lock is still
	 * held
	 * @throws LockLostException if the ticket does not hold the lock any more, or never
	 * did; it does not say which, or who holds it now: {@link #find} does
	 * @throws IllegalStateException as {@link #renew} does
	 */
	<T> LockedDocument<T> resume(Class<T> type, Object id, LockTicket ticket);

	/**
	 * Begin the ttl of a lock that was passed on anew: the heartbeat of the one who
	 * edits. It proves the lock alone, whatever the version.
	 * @param type the type of the document
	 * @param id its id
	 * @param ticket the ticket
	 * @throws LockLostException as {@link #resume} does
	 * @throws IllegalStateException if the transaction of this thread has written the
	 * document, for whose end this would wait
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
	 * The locks of a type that somebody holds, in the order of their documents' ids.
	 * Reads the whole collection unless it has a sparse index on {@code lock.holders.0}.
	 * @param type the type of the documents
	 * @return those that are held now
	 */
	List<DocumentLock> list(Class<?> type);

	/**
	 * The lock of a document: who holds it.
	 * @param type the type of the document
	 * @param id its id
	 * @return the lock, or empty if nobody holds it or there is no such document
	 */
	Optional<DocumentLock> find(Class<?> type, Object id);

	/**
	 * Take the lock of a document from its holder on purpose, also one that has run out:
	 * its saves and updates are refused from now on. Listeners of this client are
	 * notified.
	 * @param type the type of the document
	 * @param id its id
	 * @return who was thrown out, or empty if nobody held it
	 * @throws IllegalStateException as {@link #renew} does
	 */
	Optional<LockHolder> breakLock(Class<?> type, Object id);

}
