package io.mongolock.data.store;

import java.time.Duration;

import com.mongodb.MongoCommandException;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.util.Assert;

import io.mongolock.LockStoreException;
import io.mongolock.store.KeySpace;
import io.mongolock.store.KeyText;
import io.mongolock.store.mongo.MajorityCommands;

/**
 * Keeps the highest number taken of each sequence, in one document per sequence:
 *
 * <pre>
 * { _id: "invoice", value: 150 }
 * </pre>
 *
 * Every method sends one command to the primary, outside of any transaction. The majority
 * confirms it, so numbers that were given out are never taken back. A command whose
 * answer is lost is sent again, and then takes other numbers. Thread-safe.
 */
public final class SequenceStore {

	private static final int BAD_VALUE = 2;

	private static final FindOneAndUpdateOptions UPSERT = new FindOneAndUpdateOptions().upsert(true)
		.returnDocument(ReturnDocument.AFTER);

	private final MajorityCommands commands;

	private final String collection;

	private final KeySpace names;

	private final Duration timeout;

	/**
	 * Create a new store.
	 * @param template a template that never joins a session or transaction of the caller:
	 * its session synchronization is {@code NEVER}
	 * @param prefix the prefix of every stored name, may be empty
	 * @param timeout how long a request may take
	 */
	public SequenceStore(MongoOperations template, String collection, String prefix, Duration timeout) {
		Assert.hasText(collection, "The name of the collection of sequences is empty");
		this.commands = new MajorityCommands(template, collection);
		this.collection = collection;
		this.names = new KeySpace(prefix);
		this.timeout = timeout;
	}

	/**
	 * Take the next numbers of a sequence.
	 * @param count how many, at least 1
	 * @return the last one: the numbers taken are those above {@code last - count}
	 * @throws DataIntegrityViolationException if the numbers would exceed the range of a
	 * long
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; if it
	 * took the numbers even so, they are a gap
	 */
	public long take(String name, long count) {
		return execute("take " + count + ((count != 1) ? " numbers" : " number") + " of sequence", name,
				change("$inc", count));
	}

	/**
	 * Raise a sequence, so that only higher numbers are taken from now on. A sequence
	 * that is higher already stays as it is.
	 * @throws DataAccessResourceFailureException if MongoDB could not be asked; asking
	 * again is harmless
	 */
	public void raise(String name, long number) {
		execute("write the number " + number + " to the sequence", name, change("$max", number));
	}

	/**
	 * How long a request may take.
	 */
	public Duration timeout() {
		return this.timeout;
	}

	private long execute(String operation, String name, BsonDocument change) {
		BsonDocument filter = new BsonDocument("_id",
				new BsonString(this.names.toId("The name of the sequence", name)));
		try {
			BsonValue value = this.commands
				.send(operation, name, this.timeout, (documents) -> documents.findOneAndUpdate(filter, change, UPSERT))
				.map((answer) -> answer.get("value"))
				.orElse(null);
			if (value == null || !(value.isInt64() || value.isInt32())) {
				throw new DataIntegrityViolationException("Could not " + what(operation, name)
						+ ", because the value of this sequence in the collection '" + this.collection + "' is " + value
						+ ", which is no whole number. Set this value to a NumberLong");
			}
			return value.asNumber().longValue();
		}
		catch (LockStoreException ex) {
			throw explain(what(operation, name), ex);
		}
	}

	private static String what(String operation, String name) {
		return operation + " '" + KeyText.printable(name) + "'";
	}

	private RuntimeException explain(String what, LockStoreException failure) {
		if (failure.getCause() instanceof MongoCommandException refused && refused.getCode() == BAD_VALUE) {
			return new DataIntegrityViolationException("Could not " + what + " (collection '" + this.collection
					+ "'), because the numbers of a sequence end at " + Long.MAX_VALUE
					+ ". Nothing was changed. MongoDB says: " + refused.getErrorMessage(), refused);
		}
		String message = String.valueOf(failure.getMessage());
		String collection = "collection '" + this.collection + "'";
		// A refusal may already name the collection in its advice
		String where = (message.contains(collection)) ? "" : " (" + collection + ")";
		return new DataAccessResourceFailureException(message + where + switch (failure.getOutcome()) {
			case REFUSED -> "";
			case NOT_EXECUTED -> ". It is safe to ask again";
			case UNKNOWN -> ". If numbers were taken, they leave a gap. It is safe to ask again";
		}, failure.getCause());
	}

	private static BsonDocument change(String operator, long number) {
		return new BsonDocument(operator, new BsonDocument("value", new BsonInt64(number)));
	}

}
