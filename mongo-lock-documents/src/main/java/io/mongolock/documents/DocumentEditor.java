package io.mongolock.documents;

import java.time.Instant;

import io.mongolock.LockHolder;
import io.mongolock.LockSettings;

/**
 * The one who edits a document, as a browser may see it: nothing of the machine. For
 * diagnostics: that may be over by now.
 *
 * @param name what the one who edits is called, by {@link LockSettings.Builder#as}; empty
 * if the lock was taken without a name
 * @param since when the lock was granted, by the server's clock
 * @param until when it runs out unless renewed, by the server's clock
 * @param fence the number of the grant, for {@link DocumentLockOperations#takeOver}
 */
public record DocumentEditor(String name, Instant since, Instant until, long fence) {

	/**
	 * The editor that a holder is.
	 * @param holder who holds the lock of a document
	 * @return the editor
	 */
	public static DocumentEditor of(LockHolder holder) {
		return new DocumentEditor(holder.owner().as(), holder.acquiredAt(), holder.until(), holder.fence());
	}

}
