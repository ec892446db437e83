/**
 * {@code @DistributedLock}, and how it is read.
 * <ul>
 * <li>{@link DistributedLock} is what users write.</li>
 * <li>{@link AnnotationLockOperationSource} finds it for a method,
 * {@link LockDeclarations} decides which declaration counts, and
 * {@link DistributedLockParser} makes a {@link io.mongolock.interceptor.LockOperation
 * LockOperation} of it, once per method.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.annotation;

import org.jspecify.annotations.NullMarked;
