package io.mongolock.documents.store;

import io.mongolock.LockStoreException;
import io.mongolock.store.KeyText;

/**
 * The document to lock does not exist.
 */
public final class MissingDocumentException extends LockStoreException {

	MissingDocumentException(String key) {
		super(key, Outcome.REFUSED, "There is no document '" + KeyText.printable(key) + "' to lock", null);
	}

}
