/**
 * What {@code java.util.concurrent} has, under locks.
 * <ul>
 * <li>{@link ThreadLock} and {@link ThreadReadWriteLock} are its locks. A thread owns one
 * and may take it again; {@link ThreadLock} says what an interrupt, a timeout and a
 * foreign unlock do.</li>
 * <li>{@link AsyncExecution} is work that ends with a stage, under one lock or several:
 * it decides when they are released, and what a cancel or a loss ends.</li>
 * <li>{@link LossInterruption} decides when a thread whose lock is lost is interrupted,
 * and when no more.</li>
 * <li>{@link CallerContext} takes along what the thread of a caller carries: each
 * {@link ThreadState}, for example a {@link ThreadValue}.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.concurrent;

import org.jspecify.annotations.NullMarked;
