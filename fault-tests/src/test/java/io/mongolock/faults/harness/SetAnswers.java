package io.mongolock.faults.harness;

import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * What a member of a replica set answers when it is not the primary, or cannot confirm
 * what it wrote.
 */
public final class SetAnswers {

	private SetAnswers() {
	}

	// Nothing is executed here
	public static BsonDocument notPrimary(BsonDocument command) {
		return retryable(command,
				BsonDocument.parse("{ ok: 0.0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' }"));
	}

	// The write is executed, and time ran out before it was confirmed
	public static BsonDocument timedOut(BsonDocument answer) {
		return answer.append("writeConcernError",
				BsonDocument.parse("{ code: 50, errmsg: 'operation exceeded time limit' }"));
	}

	// The write is executed, and may be rolled back
	public static BsonDocument steppedDown(BsonDocument command, BsonDocument answer) {
		return retryable(command, answer.append("writeConcernError",
				BsonDocument.parse("{ code: 189, errmsg: 'Primary stepped down while waiting for replication' }")));
	}

	private static BsonDocument retryable(BsonDocument command, BsonDocument answer) {
		// only a client that numbers its writes is told so
		return (command.containsKey("txnNumber"))
				? answer.append("errorLabels", new BsonArray(List.of(new BsonString("RetryableWriteError")))) : answer;
	}

}
