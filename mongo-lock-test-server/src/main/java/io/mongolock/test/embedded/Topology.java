package io.mongolock.test.embedded;

import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The behaviour that depends on whether the server stands alone or is the only member of
 * a replica set. Thread-safe.
 */
sealed interface Topology permits Standalone, ReplicaSet, TransactionTopology {

	/**
	 * Refuse a command that no server of this kind runs.
	 * @param name the name of the command
	 * @param command the command as sent
	 */
	void check(String name, Document command);

	/**
	 * Say in an answer to {@code hello} what kind of server this is.
	 * @param hello the answer so far
	 * @param channel the client's connection
	 */
	void introduce(Document hello, Channel channel);

	/**
	 * Run a write only once, even if a driver sends it several times.
	 * @param command the command as sent
	 * @param write runs it
	 * @return the answer
	 */
	Document write(Document command, Supplier<WriteReply> write);

	/**
	 * Run a statement that is part of no transaction.
	 * @param statement runs it
	 * @return the answer
	 */
	default Document run(Supplier<Document> statement) {
		return statement.get();
	}

	/**
	 * Add the fields that every answer of this kind of server has.
	 * @param reply the answer so far
	 */
	void complete(Document reply);

	/**
	 * Add the fields of the answer to a {@code createIndexes} that has created an index.
	 * @param reply the answer so far
	 */
	void indexCreated(Document reply);

	/**
	 * Note a change of a collection.
	 * @param change the change, with the documents as they are stored
	 */
	void changed(Change change);

	/**
	 * Note that a collection was created.
	 * @param namespace the names of the database and of the collection
	 */
	default void created(String namespace) {
	}

	/**
	 * Whether a write may meet a transaction, so that it has to be checked first.
	 * @return whether transactions are open
	 */
	default boolean hasTransactions() {
		return false;
	}

	/**
	 * Make a write wait if a transaction has written the same document.
	 * @param change the change, not yet made
	 * @throws AwaitsTransaction if it has to
	 */
	default void checkFree(Change change) {
	}

	/**
	 * Make a command wait while a transaction uses a collection, if the command changes
	 * more of it than its documents.
	 * @param database the database
	 * @param collection the collection's name, {@code null} for any
	 * @throws AwaitsTransaction if it has to
	 */
	default void checkUnused(String database, @Nullable String collection) {
	}

	/**
	 * Let clients that wait for events notice that cursors are gone.
	 */
	void cursorsKilled();

	/**
	 * The time of the latest change.
	 * @return the time, {@code null} on a server that has none
	 */
	@Nullable BsonTimestamp clusterTime();

	/**
	 * The changes of all collections.
	 * @return the log
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if servers of this kind log
	 * none
	 */
	ChangeLog changes();

}
