package io.mongolock.faults.harness;

import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * What a member of a replica set answers when it is not the primary, or cannot confirm
 * what it wrote.
 */
public final class SetAnswers {

	private static final int MAX_TIME_EXPIRED = 50;

	private static final int PRIMARY_STEPPED_DOWN = 189;

	private static final int NOT_WRITABLE_PRIMARY = 10107;

	private SetAnswers() {
	}

	// Nothing is executed here
	public static BsonDocument notPrimary(BsonDocument command) {
		BsonDocument answer = error(NOT_WRITABLE_PRIMARY, "not primary").append("ok", new BsonDouble(0))
			.append("codeName", new BsonString("NotWritablePrimary"));
		return retryable(command, answer);
	}

	// The write is executed, and time ran out before it was confirmed
	public static BsonDocument timedOut(BsonDocument answer) {
		return answer.append("writeConcernError", error(MAX_TIME_EXPIRED, "operation exceeded time limit"));
	}

	// The write is executed, and may be rolled back
	public static BsonDocument steppedDown(BsonDocument command, BsonDocument answer) {
		answer.append("writeConcernError",
				error(PRIMARY_STEPPED_DOWN, "Primary stepped down while waiting for replication"));
		return retryable(command, answer);
	}

	private static BsonDocument retryable(BsonDocument command, BsonDocument answer) {
		// only a client that numbers its writes is told so
		return (command.containsKey("txnNumber"))
				? answer.append("errorLabels", new BsonArray(List.of(new BsonString("RetryableWriteError")))) : answer;
	}

	private static BsonDocument error(int code, String message) {
		return new BsonDocument("code", new BsonInt32(code)).append("errmsg", new BsonString(message));
	}

}
