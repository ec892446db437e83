/**
 * The lock registry of Spring Integration: {@link MongoLockRegistry}, whose locks are
 * {@link RegistryLock}, of which {@link RegistryLocks} keeps one per key.
 */
@NullMarked
package io.mongolock.integration;

import org.jspecify.annotations.NullMarked;
