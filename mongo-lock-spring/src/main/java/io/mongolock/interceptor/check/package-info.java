/**
 * Refuses at startup locked methods that could not work.
 * <ul>
 * <li>{@link LockMethodVerifier} checks each bean, and decides whether the bean has the
 * proxy that it needs. {@link WovenMethods} recognizes methods that need none.
 * {@link LockVerification} says whether a method without its proxy is refused, logged or
 * ignored.</li>
 * <li>{@link LockMethodCheck} refuses results, answers and settings that do not fit the
 * lock. {@link KeyTypeCheck} decides which types keys and conditions may have.
 * {@link ArgumentPath} says whether an argument has the property that a
 * {@link DeclaredExpression} names. {@link SpelNameCheck} checks all other names in the
 * expression. {@link LockAsyncCheck} refuses {@code @Async} inside of the lock.
 * {@link LockDocumentCheck} refuses wrong types and parameters of documents.</li>
 * <li>{@link LikelyMistakes} warns of likely mistakes: a lock without a key, transactions
 * without effect. {@link SelfCallScan} finds calls on {@code this}, past the proxy.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.interceptor.check;

import org.jspecify.annotations.NullMarked;
