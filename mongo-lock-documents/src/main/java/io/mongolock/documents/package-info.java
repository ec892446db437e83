/**
 * Tools for documents of the application.
 * <ul>
 * <li>To edit: {@link DocumentLockOperations} locks a document;
 * {@link DocumentLockClients}, the {@link DocumentLockFactory}, makes these operations
 * for each database. The work is a {@link DocumentCallback} and gets a
 * {@link LockedDocument}. {@link DocumentLocks} claims, resumes and breaks locks, and
 * refuses to do so in a transaction that has read or written.
 * {@link NoSuchDocumentException} and {@link DocumentChangedException} say why nothing
 * can be saved.</li>
 * <li>A hold: {@link HeldDocument} decides what becomes of it when it is written, closed
 * or passed on, when a write has no answer, and when a transaction ends.
 * {@link HeldContent} refuses entities of another version, and entities that a rollback
 * left behind.</li>
 * <li>By ticket: a {@link LockTicket} stands for the lock between requests.
 * {@link LeaseProof} decides whether a ticket is the holder's. {@link DocumentTickets}
 * decides whether a draft was sent before, and what the exception says if the lock is
 * gone. {@link TicketHandle} says until when a resumed lock is relied on.</li>
 * <li>To see: {@link DocumentLock} tells who holds a document. {@link DocumentEditor} is
 * the part of it that a browser may see.</li>
 * <li>What is written: {@link EntityWriter} makes the document to store, as the template
 * would. {@link LockedType} knows key, id and version. {@link EntityLifecycle} calls
 * callbacks, including auditing. A {@link ReleasingWrite} is the statement that writes
 * only under the lock. {@link ReleasingWrites} sends it, and finds out why it wrote
 * nothing.</li>
 * <li>Saves without the lock: {@link UnlockedSaveGuard} refuses saves that would drop a
 * lock of this application. On a {@link LockGuarded} type, it refuses saves under locks
 * of others, too.</li>
 * <li>Transactions: {@link DocumentTransactions} knows the documents of each thread. It
 * decides which one a nested call gets, which locks a new transaction keeps, and whether
 * it may commit. {@link DocumentTransaction} renews these locks inside the transaction,
 * and refuses transactions whose end it cannot know. {@link SingleDatabase} refuses calls
 * for another tenant's database.</li>
 * <li>To update without a lock: {@link OptimisticUpdater}. An {@link UpdateAttempt}
 * decides whether anything has changed, and whether others were faster.
 * {@link RetriedUpdates} decides how often and how soon it is repeated. {@link Versions}
 * takes back a version that was raised in vain.</li>
 * <li>{@link DocumentCallbacks} registers the callback of the application's
 * templates.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents;

import org.jspecify.annotations.NullMarked;
