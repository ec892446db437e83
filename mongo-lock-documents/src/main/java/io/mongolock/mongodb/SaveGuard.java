package io.mongolock.mongodb;

import java.util.function.Supplier;

import org.bson.Document;

/**
 * Minds saves that would drop a lock: lets pass what this library writes, which keeps it.
 */
interface SaveGuard {

	/** Where nobody minds saves. */
	SaveGuard NONE = new SaveGuard() {

		@Override
		public <T> T keeping(Document document, Supplier<T> callbacks) {
			return callbacks.get();
		}

		@Override
		public void refuseIfGuarded(Class<?> type, Document document, String collection) {
		}

	};

	/**
	 * Call callbacks for a document that is written without dropping its lock.
	 * @param <T> the type of the entity
	 * @param document the document
	 * @param callbacks calls them
	 * @return what they return
	 */
	<T> T keeping(Document document, Supplier<T> callbacks);

	/**
	 * Refuse the write of a document that is guarded and that somebody has locked.
	 * @param type the type
	 * @param document the document as it is to be stored
	 * @param collection where
	 * @throws io.mongolock.LockUnavailableException if so, unless this thread's
	 * transaction has written it under its lock
	 */
	void refuseIfGuarded(Class<?> type, Document document, String collection);

}
