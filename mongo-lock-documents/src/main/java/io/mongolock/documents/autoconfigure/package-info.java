/**
 * What Spring Boot sets up by itself for documents of the application.
 * <ul>
 * <li>{@link MongoLockDocumentsAutoConfiguration} has the beans.</li>
 * <li>{@link MongoLockDocumentsProperties} are the settings, which
 * {@link DocumentLockExtension} checks; it shows the locks to operators, too.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents.autoconfigure;

import org.jspecify.annotations.NullMarked;
