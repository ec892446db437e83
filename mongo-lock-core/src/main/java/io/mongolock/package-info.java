/**
 * The types that an application uses.
 * <ul>
 * <li>Requests: {@link LockOperations} take a {@link LockRequest}, which has a
 * {@link LockMode} and {@link LockSettings}, and run a {@link LockCallback}.
 * {@link LockKeyText} turns the value of a key into text, if {@link LockKeyTypes} allows
 * its type.</li>
 * <li>Holds: a {@link LockHandle} is the handle of a lock, and {@link LockContext} has
 * the locks of the current thread. {@link OnLost} says what happens to the work if the
 * lock is lost, and {@link LossReason} says why it was lost. A {@link ReleaseRequest}
 * asks a holder to release the lock soon.</li>
 * <li>Locks that are not free: {@link OnUnavailable} is the choice for an annotated
 * method. A {@link LockUnavailableHandler} can answer its {@link UnavailableCall}.</li>
 * <li>Diagnostics: a {@link LockHolder} holds a lock, a {@link LockPlace} is a place in
 * its queue, and a {@link LockOwner} is the caller that asked. A {@link LockListener}, or
 * a listener of Spring for each {@link LockApplicationEvent}, learns what happens.</li>
 * <li>Exceptions: {@link LockException} is their base class.
 * {@link LockUnavailableException} and {@link LockAttemptAbortedException} end an
 * attempt. {@link LockStoreException} means that the store gave no answer.
 * {@link LockLostException} means that a lock was lost. {@link StaleFenceException}
 * refuses a write, and {@link InvalidLockSettingsException} refuses a setting.</li>
 * <li>{@link LockClock} has the two clocks for all deadlines.</li>
 * </ul>
 */
@NullMarked
package io.mongolock;

import org.jspecify.annotations.NullMarked;
