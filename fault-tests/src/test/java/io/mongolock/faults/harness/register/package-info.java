/**
 * What processes wrote down, as operations on registers: a second opinion that shares
 * nothing with the checker of histories but the records.
 */
@NullMarked
package io.mongolock.faults.harness.register;

import org.jspecify.annotations.NullMarked;
