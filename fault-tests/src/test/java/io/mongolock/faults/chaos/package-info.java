/**
 * Random faults of many kinds at a time: which, and in which order, follows from a seed.
 */
@NullMarked
package io.mongolock.faults.chaos;

import org.jspecify.annotations.NullMarked;
