/**
 * The types for other modules that keep locks elsewhere than in a collection for locks
 * alone, for example in documents of the application.
 * <ul>
 * <li>To inject: {@link LockEnvironment} has the parts of the application's locks, and
 * opens a {@link StoreClient} for a store of the module's own. {@link StoreClients} has
 * the opened clients. The store itself is a {@link io.mongolock.store.LockStore}. It must
 * not be a bean, because the application's own store would back off. A handle of the
 * client is a {@link io.mongolock.store.LeaseControl}. {@link ApplicationTemplate}
 * decides which template writes the application's own documents.</li>
 * <li>To declare as a bean: {@link LockExtension} says which settings, collections and
 * keys belong to the module, refuses wrong settings, and lets operators see the module's
 * locks. {@link DocumentLocking} runs methods with {@code @DistributedLock(document =
 * …)}. {@link TransactionListenerRegistrar} notifies the module of the transactions of
 * every manager.</li>
 * <li>To refuse a start: a {@link LockStartupException} is printed as a problem and
 * advice.</li>
 * </ul>
 * Modules may use this package and {@code io.mongolock.store}. The public types of
 * {@code io.mongolock.store.mongo} are only for this library's own modules.
 */
@NullMarked
package io.mongolock.spi;

import org.jspecify.annotations.NullMarked;
