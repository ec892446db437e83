package io.mongolock.test.embedded;

import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * What depends on whether the server stands alone or is the one member of a replica set.
 * Thread-safe.
 */
sealed interface Topology permits Standalone, ReplicaSet, TransactionTopology {

	/**
	 * Refuse what no server of this kind does.
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
	 * Run a write once, however often a driver sends it.
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
	 * Add what every answer of a server of this kind says.
	 * @param reply the answer so far
	 */
	void complete(Document reply);

	/**
	 * Add what the answer to a {@code createIndexes} says that has created one.
	 * @param reply the answer so far
	 */
	void indexCreated(Document reply);

	/**
	 * Note a change of a collection.
	 * @param change what was done, with the documents as they are stored
	 */
	void changed(Change change);

	/**
	 * Note that there is a collection that was not there before.
	 * @param namespace the names of its database and its own
	 */
	default void created(String namespace) {
	}

	/**
	 * Whether a write may meet a transaction, and so has to look before it is made.
	 * @return whether transactions are open
	 */
	default boolean hasTransactions() {
		return false;
	}

	/**
	 * Have a write wait that is about what a transaction has written.
	 * @param change the change, not yet made
	 * @throws AwaitsTransaction if it has to
	 */
	default void checkFree(Change change) {
	}

	/**
	 * Have a command wait that changes more of a collection than its documents, while a
	 * transaction uses it.
	 * @param database the database
	 * @param collection the collection's name, {@code null} for any
	 * @throws AwaitsTransaction if it has to
	 */
	default void checkUnused(String database, @Nullable String collection) {
	}

	/**
	 * Let those who wait for events notice that cursors are gone.
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
