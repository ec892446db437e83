/**
 * The types that another module builds on, for locks that are kept elsewhere than in a
 * collection of their own, for example in documents of the application.
 * {@link LockEnvironment} is a bean that it injects; {@link LockExtension} and
 * {@link DocumentLocking} are beans that it may declare. A
 * {@link TransactionListenerRegistrar} is a bean that has it hear of transactions. The
 * store itself is a {@link io.mongolock.store.LockStore}, which must be no bean, or the
 * one of the application would back off. {@link StoreClient} is what the module has of
 * the client for that store; a handle of it is a {@link io.mongolock.store.LeaseControl}.
 * {@link ApplicationTemplate} finds the template of the application's own documents. What
 * it throws as a {@link LockStartupException} while the application starts is printed as
 * a problem and a way out.
 * <p>
 * What a module may build on is this package and {@code io.mongolock.store}. The public
 * types of {@code io.mongolock.store.mongo} are for this library's own modules.
 */
@NullMarked
package io.mongolock.spi;

import org.jspecify.annotations.NullMarked;
