/**
 * Tools for documents of the application: {@link DocumentLockOperations} locks a document
 * for editing, {@link FencedWrites} guards a write, {@link Sequences} gives out numbers,
 * and {@link OptimisticUpdater} updates without a lock.
 */
@NullMarked
package io.mongolock.mongodb;

import org.jspecify.annotations.NullMarked;
