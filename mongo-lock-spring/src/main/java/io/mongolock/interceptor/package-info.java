/**
 * Runs methods under a lock: which methods, which key, and what a caller sees.
 * <ul>
 * <li>Which methods: {@link LockOperationSource} knows each {@link LockOperation} of a
 * method, and {@link LockOperationSourceAdvisor} puts {@link LockInterceptor} around it.
 * {@link ProxyKind} says how Spring makes the proxy, {@link ProxyReach} which methods it
 * does not reach, {@link AdvisedProxies} how several stand in front of each other, and
 * {@link AsyncAdvice} whether {@code @Async} comes before it. One that cannot work is an
 * {@link InvalidLockMethodException}.</li>
 * <li>How: {@link LockedExecutions} decides once per {@link LockedMethod} on a
 * {@link LockedExecution}, which runs each {@link LockedCall}: {@link LocksExecution}
 * under its lock or its several, {@link DocumentLockExecution} under a document's lock,
 * {@link AsyncMethodExecution} on the thread of {@code @Async}.</li>
 * <li>If it need not be locked: {@link ConditionalExecution}. If it is not free:
 * {@link UnavailableExecution} has an {@link UnavailableAnswer} from a
 * {@link SkipAnswer}, by {@link FallbackAnswer} from another method, or by
 * {@link HandlerAnswer} from a bean.</li>
 * <li>Results that end later: {@link LaterType} says which there are,
 * {@link LaterExecution} has the {@link LaterLocking} hold until the {@link LaterResult}
 * has ended, a {@link StageResult} or a {@link ReactiveResult} with its
 * {@link LockedFlux} and {@link SubscriberContext}, and {@link AsyncResultDetector}
 * refuses those whose end cannot be known.</li>
 * <li>{@link CallWarnings} warns of locks that come after the snapshot they should
 * protect, and of threads that must not wait for one.</li>
 * <li>Which keys: {@link LockKeyEvaluator} evaluates their expressions at each call, in
 * which {@link LockKeyRoot} is {@code #root} and {@link LockKeyVariables} are the
 * arguments; {@link SeveralKeys} are the keys in a collection, and {@link LockRequests}
 * brings them into the order in which all calls ask.</li>
 * <li>{@code check} refuses at startup what could not work.</li>
 * <li>For native images: {@link LockInterceptorHints} and {@link LockedMethodHints}.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.interceptor;

import org.jspecify.annotations.NullMarked;
