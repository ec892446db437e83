/**
 * Tools for data of the application.
 * <ul>
 * <li>To guard a write: {@link FencedWrites}. {@link GuardedWrites} sends each
 * {@link GuardedUpdate}. {@link RetriedConflicts} says which transactions to do
 * again.</li>
 * <li>Numbers: {@link Sequences} gives them out, each by its {@link SequenceSettings},
 * alone or as a {@link SequenceRange}. {@link StoredSequences} has the
 * {@link ReservedNumbers} of this JVM, and {@link SequenceCallback} fills a field with
 * {@link Sequence}.</li>
 * <li>{@link MongoLockDataAutoConfiguration} has the beans.
 * {@link MongoLockDataProperties} are the settings, which {@link SequenceExtension}
 * checks.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.data;

import org.jspecify.annotations.NullMarked;
