/**
 * What a module beside this one builds on, for locks that are kept elsewhere than in a
 * collection of their own, for example in documents of the application.
 * {@link LockEnvironment} is a bean that it asks for; {@link LockExtension} and
 * {@link DocumentLocking} are beans that it may have. The store itself is a
 * {@link io.mongolock.store.LockStore}, which is no bean: the application's own would
 * back off. {@link StoreClient} is what the module has of the client for that store; a
 * handle of it is a {@link io.mongolock.store.Leased}.
 * <p>
 * What a module may build on is this package and {@code io.mongolock.store}. The public
 * types of {@code io.mongolock.store.mongo} are for this library's own modules.
 */
@NullMarked
package io.mongolock.spi;

import org.jspecify.annotations.NullMarked;
