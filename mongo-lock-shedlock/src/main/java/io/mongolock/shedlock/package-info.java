/**
 * The lock provider of ShedLock is {@link LeaseLockProvider}. Each of its locks is a
 * {@link LeaseLock}, which is an {@link ExtensibleLock}. {@link ExtendedLeases} has the
 * leases that were extended. As long as older instances run, {@link ShedLockDocuments}
 * are taken beside the locks, and {@link BothLocks} keeps both together.
 * {@link ShedLockExtension} adds ShedLock to the locks of the application, and
 * {@link ShedLockAutoConfiguration} wires all of this.
 * {@link MongoLockShedLockProperties} are the settings.
 */
@NullMarked
package io.mongolock.shedlock;

import org.jspecify.annotations.NullMarked;
