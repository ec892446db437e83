/**
 * What Spring Boot sets up by itself for documents of the application.
 * <ul>
 * <li>{@link MongoLockDocumentsAutoConfiguration} imports the parts:
 * {@link DocumentLockConfiguration} locks documents, {@link FencedWritesConfiguration}
 * guards writes, {@link OptimisticConfiguration} updates without a lock, and
 * {@link SequenceConfiguration} gives out numbers.</li>
 * <li>{@link MongoLockDocumentsProperties} are the settings, which
 * {@link DocumentLockExtension} checks; it shows the locks to operators, too.</li>
 * <li>{@link ApplicationTemplate} is the template that documents are written with, or
 * says that it is not clear which one that is.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.mongodb.autoconfigure;

import org.jspecify.annotations.NullMarked;
