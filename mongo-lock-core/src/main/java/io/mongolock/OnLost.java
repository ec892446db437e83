package io.mongolock;

/**
 * The consequences for a holder that loses its lock while it works. In every case, an
 * event is published and a warning is logged. If the loss is known before the work
 * begins, the work never begins, and the caller gets a {@link LockLostException} in every
 * case.
 */
public enum OnLost {

	/**
	 * The guarded call ends with a {@link LockLostException}.
	 */
	FAIL,

	/**
	 * The thread of the guarded call is interrupted at once, and the call ends with a
	 * {@link LockLostException}, even if no other caller was granted the lock. If the
	 * result ends later, the work is cancelled instead. If nested calls lose their locks
	 * at the same time, the innermost call may consume the interrupt. Each of these calls
	 * still ends with its exception. Code that catches such an exception between two of
	 * them should ask {@link LockHandle#isHeld()} before it goes on.
	 */
	INTERRUPT,

	/**
	 * Nothing happens besides the event and the warning.
	 */
	IGNORE

}
