/**
 * Locks in documents of the application.
 * <ul>
 * <li>{@link DocumentLockStore} keeps a lock in the document itself. It decides whether a
 * claim asks the document or only waits. The queue is kept outside of the document, and
 * only its first entry asks. {@link LeaseSecrets} decides whether a secret proves
 * possession of a lease, and seals tickets. {@link DocumentKey} says which document a key
 * belongs to, and which ids are impossible. {@link IdOrder} says in which order ids are
 * listed. {@link MissingDocumentException} says that there is no such document.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.documents.store;

import org.jspecify.annotations.NullMarked;
