/**
 * Locks in documents of the application.
 * <ul>
 * <li>{@link DocumentLockStore} keeps a lock in the document itself. {@link DocumentKey}
 * says which document a key is of, {@code IdOrder} how they are listed,
 * {@link LeaseSecrets} what proves possession of a lease, and
 * {@link MissingDocumentException} that there is no such document.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents.store;

import org.jspecify.annotations.NullMarked;
