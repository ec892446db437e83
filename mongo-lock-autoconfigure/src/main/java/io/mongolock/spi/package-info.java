/**
 * What a module beside this one builds on, for locks that are kept elsewhere than in a
 * collection of their own, for example in documents of the application.
 * {@link LockEnvironment} is a bean that it asks for; {@link LockExtension} and
 * {@link DocumentLocking} are beans that it may have. The store itself is a
 * {@link io.mongolock.store.LockStore}.
 */
@NullMarked
package io.mongolock.spi;

import org.jspecify.annotations.NullMarked;
