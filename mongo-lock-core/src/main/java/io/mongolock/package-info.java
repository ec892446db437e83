/**
 * The types that an application uses.
 * <ul>
 * <li>To ask: {@link LockOperations} take a {@link LockRequest} with its {@link LockMode}
 * and {@link LockSettings}, and run a {@link LockCallback}. {@link LockKeyText} makes the
 * text of a key, of the {@link LockKeyTypes} that have one.</li>
 * <li>To hold: {@link LockHandle}; {@link LockContext} has the locks of the current
 * thread. {@link OnLost} says what a loss does to the work, {@link LossReason} why it was
 * lost.</li>
 * <li>To be asked: {@link ReleaseRequest} is what a holder learns when somebody would
 * like to have the lock soon.</li>
 * <li>Not free: {@link OnUnavailable} is the choice of an annotated method, for whose
 * {@link UnavailableCall} a {@link LockUnavailableHandler} may answer.</li>
 * <li>To see: {@link LockHolder} and {@link LockPlace} are who holds and who waits, each
 * a {@link LockOwner}; a {@link LockListener} or the {@link LockApplicationEvent}s of
 * Spring say what happens.</li>
 * <li>Exceptions: {@link LockException} is their base. {@link LockUnavailableException}
 * and {@link LockAttemptAbortedException} end an attempt, {@link LockStoreException} has
 * no answer, {@link LockLostException} ends a hold, {@link StaleFenceException} refuses a
 * write, {@link InvalidLockSettingsException} a setting.</li>
 * <li>{@link LockClock} has the two clocks that all deadlines go by.</li>
 * </ul>
 */
@NullMarked
package io.mongolock;

import org.jspecify.annotations.NullMarked;
