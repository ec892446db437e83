/**
 * Runs methods under a lock: which methods, which key, and what a caller sees.
 * <ul>
 * <li>Which methods: {@link LockOperationSource} knows the {@link LockOperation} of each,
 * and {@link LockOperationSourceAdvisor} puts {@link LockInterceptor} around it.</li>
 * <li>Which key: {@link LockKeyEvaluator} evaluates its expression at each call.</li>
 * <li>What a caller sees: {@link LockInterceptor} runs the method under the lock, or
 * answers with a {@link SkippedResult}; {@link LaterResults} refuses results that end
 * after the method.</li>
 * <li>{@code check} refuses at startup what could not work.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.interceptor;

import org.jspecify.annotations.NullMarked;
