/**
 * Refuses at startup what could not work. {@link LockMethodVerifier} looks at each bean,
 * as far as {@link LockVerification} says, and passes each method through the checks:
 * {@link LockMethodCheck} whether a proxy reaches it, or it is among the
 * {@link WovenMethods}; {@link KeyTypeCheck} the types of its keys and conditions, which
 * are an {@link ArgumentPath} where they name an argument or a property of it, and
 * otherwise go to {@link SpelNameCheck} as a {@link DeclaredExpression};
 * {@link LockAsyncCheck} results that end later; {@link LockDocumentCheck} documents.
 * {@link LikelyMistakes} say what may be meant.
 */
@NullMarked
package io.mongolock.interceptor.check;

import org.jspecify.annotations.NullMarked;
