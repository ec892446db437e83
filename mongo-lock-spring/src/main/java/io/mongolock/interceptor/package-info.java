/**
 * Runs methods under a lock: which methods, which key, and what a caller sees.
 * <ul>
 * <li>Which methods: {@link LockOperationSource} knows each {@link LockOperation} of a
 * method, and {@link LockOperationSourceAdvisor} puts {@link LockInterceptor} around it,
 * which never runs one without a lock. {@link ProxyKind} says which kind of proxy Spring
 * makes of a bean, {@link ProxyReach} which methods that does not reach.
 * {@link AdvisedProxies} finds the proxy that locks among several. {@link AsyncAdvice}
 * says whether {@code @Async} stands outside of the lock. A method that cannot work is an
 * {@link InvalidLockMethodException}.</li>
 * <li>How: {@link LockedExecutions} decides once per {@link LockedMethod} of which parts
 * its {@link LockedExecution} is made. {@link LocksExecution} takes its lock or its
 * several. {@link DocumentLockExecution} takes a document's lock, and decides which
 * parameter it fills in. {@link AsyncMethodExecution} decides whether a call may wait, as
 * on the thread of {@code @Async}. {@link ConditionalExecution} decides at each call
 * which locks it needs. {@link LockedCall} runs the method itself: it notes when that
 * begins, and refuses a result that turns out to end later.</li>
 * <li>If the lock is not free: {@link UnavailableExecution} answers in place of the
 * method. {@link UnavailableAnswer} decides which exceptions it answers: those about a
 * lock of this very call, and none out of the method. {@link SkipAnswer} says which
 * results mean nothing; {@link FallbackAnswer} asks another method, {@link HandlerAnswer}
 * a bean.</li>
 * <li>Results that end later: {@link LaterType} decides for which the lock is held to
 * their end. {@link AsyncResultDetector} recognizes others, which are refused.
 * {@link LaterExecution} evaluates the keys, and has {@link LaterLocking} hold until the
 * {@link LaterResult} has ended. {@link StageResult} decides what a cancel ends.
 * {@link ReactiveResult} locks each subscription, and decides what that carries of whose
 * thread. {@link LockedFlux} says when elements, end and cancel of a subscription pass
 * on, {@link SubscriberContext} joins its Context.</li>
 * <li>{@link CallWarnings} decides when to warn that a lock comes after the snapshot that
 * it should protect, or is waited for on a thread that must not block.</li>
 * <li>Which keys: {@link LockKeyEvaluator} evaluates keys and conditions at each call,
 * and refuses null. {@link LockKeyRoot} is {@code #root}, {@link LockKeyVariables} says
 * which names mean which argument. {@link SeveralKeys} decides which values are several
 * keys, {@link LockRequests} brings these into the order in which all calls ask.</li>
 * <li>{@code check} refuses at startup what could not work.</li>
 * <li>For native images: {@link LockInterceptorHints} keeps the types,
 * {@link LockedMethodHints} the methods.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.interceptor;

import org.jspecify.annotations.NullMarked;
