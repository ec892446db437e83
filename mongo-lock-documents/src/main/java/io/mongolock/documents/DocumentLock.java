package io.mongolock.documents;

import io.mongolock.LockHolder;

/**
 * The lock of a document, with its holder. For diagnostics: the lock may have ended since
 * it was read.
 *
 * @param id the id of the document
 * @param holder who holds its lock, since when and for how long
 * @param waiting how many wait for it
 */
public record DocumentLock(Object id, LockHolder holder, int waiting) {

	/**
	 * The part that a browser may see.
	 * @return the editor
	 */
	public DocumentEditor editor() {
		return DocumentEditor.of(this.holder);
	}

}
