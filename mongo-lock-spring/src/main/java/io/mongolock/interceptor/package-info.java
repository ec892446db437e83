/**
 * Runs methods under a lock. Decides which methods, which key, and which result the
 * caller gets.
 * <ul>
 * <li>Which methods: {@link LockOperationSource} knows each {@link LockOperation} of a
 * method. {@link LockOperationSourceAdvisor} puts {@link LockInterceptor} around the
 * method. The interceptor never runs a method for which no lock is declared.
 * {@link ProxyKind} says which kind of proxy Spring makes of a bean. {@link ProxyReach}
 * says which methods the proxy does not reach. {@link AdvisedProxies} finds the proxy
 * that locks among several. {@link AsyncAdvice} says whether {@code @Async} is outside of
 * the lock. A method that cannot work leads to an
 * {@link InvalidLockMethodException}.</li>
 * <li>How: {@link LockedExecutions} builds the {@link LockedExecution} of each
 * {@link LockedMethod} once. {@link LocksExecution} takes one lock or several.
 * {@link DocumentLockExecution} takes a document's lock, and decides which parameter gets
 * the document. {@link AsyncMethodExecution} decides whether a call may wait, as it may
 * on the thread of {@code @Async}. {@link ConditionalExecution} decides at each call
 * which locks it needs. {@link LockedCall} runs the method itself. It notes when the
 * method begins, and refuses a result that turns out to end later.</li>
 * <li>If the lock is not free: {@link UnavailableExecution} answers in place of the
 * method. {@link UnavailableAnswer} decides which exceptions it answers: only exceptions
 * about a lock of this call, and none from the method. {@link SkipAnswer} says which
 * results mean <em>nothing</em>. {@link FallbackAnswer} calls another method, and
 * {@link HandlerAnswer} calls a bean.</li>
 * <li>Results that end later: {@link LaterType} decides for which results the lock is
 * held to their end. {@link AsyncResultDetector} recognizes other such results, which are
 * refused. {@link LaterExecution} evaluates the keys, and lets {@link LaterLocking} hold
 * the locks until the {@link LaterResult} has ended. {@link StageResult} decides the
 * effect of a cancel. {@link ReactiveResult} locks each subscription, and decides which
 * thread's values the subscription carries. {@link LockedFlux} passes on the elements,
 * the end and the cancel of a subscription. {@link SubscriberContext} combines these
 * values with the subscriber's Context.</li>
 * <li>{@link CallWarnings} warns if a lock comes after the snapshot that it should
 * protect, or if a thread that must not block waits for a lock.</li>
 * <li>Which keys: {@link LockKeyEvaluator} evaluates keys and conditions at each call,
 * and refuses null. {@link LockKeyRoot} is {@code #root}. {@link LockKeyVariables} maps
 * names to arguments. {@link SeveralKeys} decides which values are several keys.
 * {@link LockRequests} sorts these keys into the order that all calls use.</li>
 * <li>{@code check} refuses at startup locked methods that could not work.</li>
 * <li>For native images: {@link LockInterceptorHints} keeps the types, and
 * {@link LockedMethodHints} keeps the methods.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.interceptor;

import org.jspecify.annotations.NullMarked;
