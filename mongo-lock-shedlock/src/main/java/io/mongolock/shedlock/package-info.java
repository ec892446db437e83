/**
 * The lock provider of ShedLock: {@link LeaseLockProvider}, whose locks are
 * {@link LeaseLock}. For as long as older instances run, {@link ShedLockDocuments} are
 * taken beside them, and {@link BothLocks} keeps the two together.
 */
@NullMarked
package io.mongolock.shedlock;

import org.jspecify.annotations.NullMarked;
