/**
 * The lock provider of ShedLock: {@link LeaseLockProvider}, whose locks are
 * {@link LeaseLock}; each is an {@link ExtensibleLock}, and {@link ExtendedLeases} has
 * those that were extended. For as long as older instances run, {@link ShedLockDocuments}
 * are taken beside them, and {@link BothLocks} keeps the two together.
 * {@link ShedLockExtension} adds that to the locks of the application,
 * {@link ShedLockAutoConfiguration} wires it, and {@link MongoLockShedLockProperties} are
 * the settings.
 */
@NullMarked
package io.mongolock.shedlock;

import org.jspecify.annotations.NullMarked;
