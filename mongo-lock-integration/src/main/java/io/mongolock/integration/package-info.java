/**
 * The lock registry for Spring Integration is {@link MongoLockRegistry}. Its locks are
 * {@link RegistryLock} objects; {@link RegistryLocks} keeps one per key.
 */
@NullMarked
package io.mongolock.integration;

import org.jspecify.annotations.NullMarked;
