/**
 * {@code @DistributedLock}, and how it is read.
 * <ul>
 * <li>{@link DistributedLock} is what users write.</li>
 * <li>{@link AnnotationLockOperationSource} finds it for a method, once per method.
 * {@link LockDeclarations} decides which declaration counts, the method's or its type's,
 * a class's or an interface's, and which methods a type's leaves out.
 * {@link DistributedLockParser} makes a {@link io.mongolock.interceptor.LockOperation
 * LockOperation} of it, and refuses wrong values and attributes that exclude each other.
 * {@link FallbackMethods} decides which method answers in its place.
 * {@link AnnotatedTypes} decides which types say nothing about locks and are left
 * out.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.annotation;

import org.jspecify.annotations.NullMarked;
