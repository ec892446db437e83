package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.exception.MongoServerError;

/**
 * The errors of a real server by code, if the library does not name them.
 */
final class ServerErrors {

	private ServerErrors() {
	}

	/**
	 * An error that has only a number, and no name.
	 * @param code the error code
	 * @param message the problem
	 * @return the error to throw
	 */
	static MongoServerError location(int code, String message) {
		return new MongoServerError(code, message);
	}

	static MongoServerError badValue(String message) {
		return new MongoServerError(2, "BadValue", message);
	}

	static MongoServerError failedToParse(String message) {
		return new MongoServerError(9, "FailedToParse", message);
	}

	static MongoServerError unauthorized(String message) {
		return new MongoServerError(13, "Unauthorized", message);
	}

	static MongoServerError typeMismatch(String message) {
		return new MongoServerError(14, "TypeMismatch", message);
	}

	static MongoServerError illegalOperation(String message) {
		return new MongoServerError(20, "IllegalOperation", message);
	}

	static MongoServerError namespaceNotFound(String message) {
		return new MongoServerError(26, "NamespaceNotFound", message);
	}

	static MongoServerError indexNotFound(String message) {
		return new MongoServerError(27, "IndexNotFound", message);
	}

	static MongoServerError maxTimeExpired() {
		return new MongoServerError(50, "MaxTimeMSExpired", "operation exceeded time limit");
	}

	static MongoServerError dollarPrefixedFieldName(String message) {
		return new MongoServerError(52, "DollarPrefixedFieldName", message);
	}

	static MongoServerError immutableField(String message) {
		return new MongoServerError(66, "ImmutableField", message);
	}

	static MongoServerError cannotCreateIndex(String message) {
		return new MongoServerError(67, "CannotCreateIndex", message);
	}

	static MongoServerError invalidOptions(String message) {
		return new MongoServerError(72, "InvalidOptions", message);
	}

	static MongoServerError indexOptionsConflict(String message) {
		return new MongoServerError(85, "IndexOptionsConflict", message);
	}

	static MongoServerError indexKeySpecsConflict(String message) {
		return new MongoServerError(86, "IndexKeySpecsConflict", message);
	}

	static MongoServerError conflictingOperation(String message) {
		return new MongoServerError(117, "ConflictingOperationInProgress", message);
	}

	static MongoServerError documentValidationFailure() {
		return new MongoServerError(121, "DocumentValidationFailure", "Document failed validation");
	}

	static MongoServerError notAReplicaSet(String message) {
		return new MongoServerError(123, "NotAReplicaSet", message);
	}

	static MongoServerError commandFailed(String message) {
		return new MongoServerError(125, "CommandFailed", message);
	}

	static MongoServerError invalidPipelineOperator(String message) {
		return new MongoServerError(168, "InvalidPipelineOperator", message);
	}

	static MongoServerError incompleteTransactionHistory(String message) {
		return new MongoServerError(217, "IncompleteTransactionHistory", message);
	}

	static MongoServerError queryFeatureNotAllowed(String message) {
		return new MongoServerError(224, "QueryFeatureNotAllowed", message);
	}

	static MongoServerError transactionTooOld(String message) {
		return new MongoServerError(225, "TransactionTooOld", message);
	}

	static MongoServerError cursorKilled(String message) {
		return new MongoServerError(237, "CursorKilled", message);
	}

	static MongoServerError conversionFailure(String message) {
		return new MongoServerError(241, "ConversionFailure", message);
	}

	static MongoServerError transactionCommitted(String message) {
		return new MongoServerError(256, "TransactionCommitted", message);
	}

	static MongoServerError invalidResumeToken(String message) {
		return new MongoServerError(260, "InvalidResumeToken", message);
	}

	static MongoServerError notInTransaction(String message) {
		return new MongoServerError(263, "OperationNotSupportedInTransaction", message);
	}

	static MongoServerError changeStreamFatalError(String message) {
		return new MongoServerError(280, "ChangeStreamFatalError", message);
	}

	static MongoServerError changeStreamHistoryLost(String message) {
		return new MongoServerError(286, "ChangeStreamHistoryLost", message);
	}

}
