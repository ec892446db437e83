package io.mongolock.documents;

import org.springframework.dao.DataRetrievalFailureException;

/**
 * There is no such document. Nothing was created or locked.
 */
public class NoSuchDocumentException extends DataRetrievalFailureException {

	/**
	 * Create a new exception.
	 * @param message which document, for diagnostics
	 * @param cause the cause, {@code null} if it is unknown
	 */
	public NoSuchDocumentException(String message, Throwable cause) {
		super(message, cause);
	}

}
