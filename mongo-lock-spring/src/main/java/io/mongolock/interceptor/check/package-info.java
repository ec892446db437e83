/**
 * Refuses at startup what could not work.
 * <ul>
 * <li>{@link LockMethodVerifier} looks at each bean, and decides whether it has the proxy
 * that it needs; {@link WovenMethods} need none. {@link LockVerification} says whether a
 * method without its proxy is refused, warned of or ignored.</li>
 * <li>{@link LockMethodCheck} refuses results, answers and settings that do not go with
 * the lock. {@link KeyTypeCheck} decides which types keys and conditions may have.
 * {@link ArgumentPath} says whether an argument has the property that a
 * {@link DeclaredExpression} names, {@link SpelNameCheck} whether there is whatever else
 * one names. {@link LockAsyncCheck} refuses {@code @Async} inside of the lock,
 * {@link LockDocumentCheck} types and parameters of documents.</li>
 * <li>{@link LikelyMistakes} warns of what often is not meant: a lock without a key,
 * transactions without effect. {@link SelfCallScan} finds calls on {@code this}, past the
 * proxy.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.interceptor.check;

import org.jspecify.annotations.NullMarked;
