package io.mongolock;

/**
 * The consequences for a holder that loses its lock while it works. An event and a
 * warning in the log come in every case. Work that has not begun when the loss is known
 * never begins: that is a {@link LockLostException} whatever is said here.
 */
public enum OnLost {

	/**
	 * A {@link LockLostException} at the end of the guarded call.
	 */
	FAIL,

	/**
	 * The thread of the guarded call is interrupted at once, and a
	 * {@link LockLostException} follows at the end of the call, also if nobody else was
	 * granted the lock. Work whose result ends later is cancelled instead. In nested
	 * calls whose locks are lost at once, the innermost may use the interrupt up; each of
	 * them ends with its exception, and code between them that catches one asks
	 * {@link LockHandle#isHeld()} before it goes on.
	 */
	INTERRUPT,

	/**
	 * Nothing more than the event and the log.
	 */
	IGNORE

}
