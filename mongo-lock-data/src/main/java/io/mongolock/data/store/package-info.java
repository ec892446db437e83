/**
 * {@link SequenceStore} keeps the highest number taken of each sequence.
 */
@NullMarked
package io.mongolock.data.store;

import org.jspecify.annotations.NullMarked;
