package io.mongolock.documents;

import io.mongolock.LockHolder;

/**
 * The lock of a document while somebody holds it. For diagnostics: that may be over by
 * now.
 *
 * @param id the id of the document
 * @param holder who holds its lock, since when and for how long
 * @param waiting how many wait for it
 */
public record DocumentLock(Object id, LockHolder holder, int waiting) {

	/**
	 * What a browser may see of it.
	 * @return the editor
	 */
	public DocumentEditor editor() {
		return DocumentEditor.of(this.holder);
	}

}
