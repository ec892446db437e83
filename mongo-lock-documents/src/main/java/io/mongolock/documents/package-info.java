/**
 * Tools for documents of the application.
 * <ul>
 * <li>To edit: {@link DocumentLockOperations} locks a document;
 * {@link DocumentLockFactory}, which is {@link DocumentLockClients}, makes one for each
 * database. The work is a {@link DocumentCallback} and gets a {@link LockedDocument}.
 * {@link DocumentLocks} claims, resumes and breaks locks, and refuses that in a
 * transaction that has read or written. {@link NoSuchDocumentException} and
 * {@link DocumentChangedException} say why nothing can be saved.</li>
 * <li>A hold: {@link HeldDocument} decides what becomes of it when it is written, closed
 * or passed on, when a write has no answer, and when a transaction ends.
 * {@link HeldContent} refuses entities of another version, and those that a rollback left
 * behind.</li>
 * <li>By ticket: a {@link LockTicket} stands for the lock between requests.
 * {@link LeaseProof} decides whether a ticket is the holder's, {@link DocumentTickets}
 * whether a draft is the same one, sent again, and what the exception says if the lock is
 * gone. {@link TicketHandle} says until when a resumed lock is relied on.</li>
 * <li>To see: {@link DocumentLock} is who holds a document, {@link DocumentEditor} the
 * part that a browser may see.</li>
 * <li>What is written: {@link EntityWriter} makes the document to store, as the template
 * would; {@link LockedType} knows key, id and version, {@link EntityLifecycle} calls
 * callbacks, auditing among them. A {@link ReleasingWrite} is the statement that writes
 * only under the lock. {@link ReleasingWrites} sends it, and finds out why one wrote
 * nothing.</li>
 * <li>Saves without the lock: {@link UnlockedSaveGuard} decides which are refused, as
 * they would drop a lock; on a type that is {@link LockGuarded} also those by
 * others.</li>
 * <li>Transactions: {@link DocumentTransactions} knows the documents of each thread. It
 * decides which one a nested call gets, which locks a new transaction keeps, and whether
 * it may commit. {@link DocumentTransaction} renews those inside the transaction, and
 * refuses transactions whose end it cannot know. {@link SingleDatabase} refuses calls for
 * another tenant's database.</li>
 * <li>To update without a lock: {@link OptimisticUpdater}. An {@link UpdateAttempt}
 * decides whether anything has changed, and whether others were faster;
 * {@link RetriedUpdates} how often it is repeated, and how soon. {@link Versions} takes
 * back a version that was raised in vain.</li>
 * <li>{@link DocumentCallbacks} has the application's templates call all of these.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents;

import org.jspecify.annotations.NullMarked;
