/**
 * {@code @DistributedLock}, and the classes that read it.
 * <ul>
 * <li>{@link DistributedLock} is the annotation that users write.</li>
 * <li>{@link AnnotationLockOperationSource} finds it for a method, once per method.
 * {@link LockDeclarations} decides which declaration counts: of the method or its type,
 * of a class or an interface. It also decides to which methods a type's declaration does
 * not apply. {@link DistributedLockParser} makes a
 * {@link io.mongolock.interceptor.LockOperation LockOperation} of the declaration, and
 * refuses wrong values and attributes that exclude each other. {@link FallbackMethods}
 * decides which method answers in place of the locked method. {@link AnnotatedTypes}
 * decides which types declare no locks and are left out.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.annotation;

import org.jspecify.annotations.NullMarked;
