/**
 * Tools for documents of the application.
 * <ul>
 * <li>To edit: {@link DocumentLockOperations} locks a document, and
 * {@link DocumentLockFactory}, which is {@link DocumentLockClients}, makes one for each
 * database. The work is a {@link DocumentCallback} and gets a {@link LockedDocument}; a
 * {@link LockTicket} stands for the lock between requests.
 * {@link DocumentChangedException} and {@link NoSuchDocumentException} say why there is
 * no such lock any more. Behind it: {@link DocumentLocks} claims, and shows each
 * {@link DocumentLock} that somebody holds; {@link DocumentTransactions} knows the
 * documents of each thread, and so gives a nested call the {@link HeldDocument} that is
 * there. That is one hold, with its {@link HeldContent}; {@link DocumentTickets},
 * {@link LeaseProof} and {@link TicketHandle} are holds by ticket. {@link DocumentEditor}
 * is what a browser may see.</li>
 * <li>What is written: {@link EntityWriter} makes it by the {@link LockedType} and
 * {@link EntityLifecycle}. {@link ReleasingWrites} sends it as a {@link ReleasingWrite}.
 * {@link UnlockedSaveGuard} refuses saves that would drop a lock. On a type that is
 * {@link LockGuarded} it also refuses saves by others while the lock is held.</li>
 * <li>Transactions: {@link DocumentTransactions} has each {@link DocumentTransaction}
 * keep its documents, in a {@link SingleDatabase}.</li>
 * <li>To update without a lock: {@link OptimisticUpdater}. {@link RetriedUpdates} repeats
 * an {@link UpdateAttempt}, by the {@link Versions} of entities.</li>
 * <li>{@link DocumentCallbacks} has the application's templates call all of these.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents;

import org.jspecify.annotations.NullMarked;
