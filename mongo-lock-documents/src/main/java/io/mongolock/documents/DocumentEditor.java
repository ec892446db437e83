package io.mongolock.documents;

import java.time.Instant;

import io.mongolock.LockHolder;
import io.mongolock.LockSettings;

/**
 * The editor of a document, as a browser may see it: without details of the machine. For
 * diagnostics: the lock may have ended since it was read.
 *
 * @param name the editor's name, set by {@link LockSettings.Builder#as}; empty if the
 * lock was taken without a name
 * @param since when the lock was granted, by the server's clock
 * @param until when the lock runs out unless renewed, by the server's clock
 * @param fence the number of the grant, for {@link DocumentLockOperations#takeOver}
 */
public record DocumentEditor(String name, Instant since, Instant until, long fence) {

	/**
	 * Describe a holder as an editor.
	 * @param holder the holder of a document's lock
	 * @return the editor
	 */
	public static DocumentEditor of(LockHolder holder) {
		return new DocumentEditor(holder.owner().as(), holder.acquiredAt(), holder.until(), holder.fence());
	}

}
