package io.mongolock.test.embedded;

import java.util.List;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.exception.MongoServerException;

/**
 * The documents that commands answer with.
 */
final class Replies {

	private static final int UNKNOWN_ERROR = 8;

	private Replies() {
	}

	static Document ok(Document reply) {
		reply.put("ok", 1.0);
		return reply;
	}

	static Document cursor(String namespace, List<Document> firstBatch, long cursorId) {
		return ok(new Document("cursor",
				new Document("firstBatch", firstBatch).append("id", cursorId).append("ns", namespace)));
	}

	static Document error(RuntimeException exception) {
		Document reply = new Document("ok", 0.0);
		if (exception instanceof TransientError transientError) {
			describe(transientError.error(), reply);
			return reply.append("errorLabels", List.of(TransientError.LABEL));
		}
		describe(exception, reply);
		return reply;
	}

	static Document writeError(int index, MongoServerException exception) {
		Document error = new Document("index", index);
		describe(exception, error);
		return error;
	}

	private static void describe(RuntimeException exception, Document target) {
		if (exception instanceof MongoServerError error) {
			target.append("errmsg", error.getMessageWithoutErrorCode())
				.append("code", error.getCode())
				.append("codeName", error.getCodeName());
		}
		else {
			// The class often says more than the library's message
			target.append("errmsg", exception.toString())
				.append("code", UNKNOWN_ERROR)
				.append("codeName", "UnknownError");
		}
	}

}
