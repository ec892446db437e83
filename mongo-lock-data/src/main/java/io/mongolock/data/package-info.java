/**
 * Tools for data of the application.
 * <ul>
 * <li>To guard a write: {@link FencedWrites}. {@link GuardedWrites} sends each
 * {@link GuardedUpdate}. {@link RetriedConflicts} says which transactions to repeat.</li>
 * <li>Numbers: {@link Sequences} gives them out by the {@link SequenceSettings} of each
 * sequence, singly or as a {@link SequenceRange}. {@link StoredSequences} has the
 * {@link ReservedNumbers} of this JVM. {@link SequenceCallback} fills fields marked with
 * {@link Sequence}.</li>
 * <li>{@link MongoLockDataAutoConfiguration} has the beans.
 * {@link MongoLockDataProperties} are the settings, which {@link SequenceExtension}
 * checks.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.data;

import org.jspecify.annotations.NullMarked;
