/**
 * Locks in documents of the application.
 * <ul>
 * <li>{@link DocumentLockStore} keeps a lock in the document itself. It decides whether a
 * claim asks the document or only waits: the queue is beside the document, and the first
 * in it alone asks. {@link LeaseSecrets} decides whether a secret proves possession of a
 * lease, and seals tickets. {@link DocumentKey} says which document a key is of, and
 * which ids none can have; {@link IdOrder} how they are listed.
 * {@link MissingDocumentException} says that there is no such document.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents.store;

import org.jspecify.annotations.NullMarked;
