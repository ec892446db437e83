/**
 * The types that another module builds on, for locks that are kept elsewhere than in a
 * collection of their own, for example in documents of the application.
 * <ul>
 * <li>To inject: {@link LockEnvironment} has the parts of the application's locks, and
 * opens a {@link StoreClient} for a store of the module's own. {@link StoreClients} are
 * those that were opened. The store itself is a {@link io.mongolock.store.LockStore},
 * which must be no bean, or the one of the application would back off; a handle of it is
 * a {@link io.mongolock.store.LeaseControl}. {@link ApplicationTemplate} decides with
 * which template the application writes documents of its own.</li>
 * <li>To declare as a bean: {@link LockExtension} says which settings, collections and
 * keys are the module's, refuses wrong settings, and lets operators see its locks.
 * {@link DocumentLocking} runs methods with {@code @DistributedLock(document = …)}. A
 * {@link TransactionListenerRegistrar} has the module hear of transactions of every
 * manager.</li>
 * <li>To refuse a start: a {@link LockStartupException} is printed as a problem and a way
 * out.</li>
 * </ul>
 * What a module may build on is this package and {@code io.mongolock.store}. The public
 * types of {@code io.mongolock.store.mongo} are for this library's own modules.
 */
@NullMarked
package io.mongolock.spi;

import org.jspecify.annotations.NullMarked;
