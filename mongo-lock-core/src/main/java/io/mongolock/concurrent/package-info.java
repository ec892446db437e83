/**
 * Locks and asynchronous work in the forms of {@code java.util.concurrent}.
 * <ul>
 * <li>{@link ThreadLock} and {@link ThreadReadWriteLock} are the locks. A thread owns
 * such a lock, and may take it again. {@link ThreadLock} says what an interrupt, a
 * timeout and a foreign unlock do.</li>
 * <li>{@link AsyncExecution} is work under one or several locks that ends with a stage.
 * It decides when the locks are released, and what a cancel or a loss ends.</li>
 * <li>{@link LossInterruption} decides when a thread whose lock is lost is interrupted,
 * and when it is no longer interrupted.</li>
 * <li>{@link CallerContext} carries the context of a caller's thread to other threads.
 * The parts of this context are {@link ThreadState} instances, for example
 * {@link ThreadValue}.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.concurrent;

import org.jspecify.annotations.NullMarked;
