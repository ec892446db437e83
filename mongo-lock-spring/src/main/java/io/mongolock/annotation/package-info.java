/**
 * {@code @DistributedLock}, and how it is read.
 * <ul>
 * <li>{@link DistributedLock} is what users write.</li>
 * <li>{@link AnnotationLockOperationSource} finds it for a method,
 * {@link LockDeclarations} decides which declaration counts, and
 * {@link DistributedLockParser} makes a {@link io.mongolock.interceptor.LockOperation
 * LockOperation} of it, once per method, with {@link FallbackMethods} for the one that
 * answers in its place. {@link AnnotatedTypes} spares it the types that say nothing about
 * locks.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.annotation;

import org.jspecify.annotations.NullMarked;
