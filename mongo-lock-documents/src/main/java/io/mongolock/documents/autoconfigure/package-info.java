/**
 * Auto-configuration by Spring Boot for documents of the application.
 * <ul>
 * <li>{@link MongoLockDocumentsAutoConfiguration} has the beans, which are lazy.</li>
 * <li>{@link MongoLockDocumentsProperties} are the settings.
 * {@link DocumentLockExtension} decides which values are refused, and shows the locks to
 * operators, too.</li>
 * <li>{@link DocumentMethods} runs methods that are annotated with
 * {@code @DistributedLock(document = …)}.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents.autoconfigure;

import org.jspecify.annotations.NullMarked;
