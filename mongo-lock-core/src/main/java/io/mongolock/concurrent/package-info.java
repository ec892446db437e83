/**
 * What {@code java.util.concurrent} has, under locks. {@link ThreadLock} and
 * {@link ThreadReadWriteLock} are its locks, whose owner is a thread.
 * {@link AsyncExecution} is work that ends with a stage, under one lock or several, and
 * {@link LossInterruption} interrupts work whose lock is lost. {@link CallerContext}
 * takes along what the thread of a caller carries: each {@link ThreadState}, for example
 * a {@link ThreadValue}.
 */
@NullMarked
package io.mongolock.concurrent;

import org.jspecify.annotations.NullMarked;
