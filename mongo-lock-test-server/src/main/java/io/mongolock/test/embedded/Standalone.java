package io.mongolock.test.embedded;

import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * A server outside of a replica set. It refuses everything that only members of a replica
 * set can do.
 */
final class Standalone implements Topology {

	@Override
	public void check(String name, Document command) {
		if (command.containsKey("autocommit")) {
			// Not a real server's message, because the driver would replace it
			throw ServerErrors.illegalOperation("Only a replica set has transactions: start the embedded server by"
					+ " EmbeddedMongo.builder().replicaSet().start()");
		}
		if (command.containsKey("txnNumber")) {
			throw ServerErrors
				.illegalOperation("Transaction numbers are only allowed on a replica set member or mongos");
		}
		if (command.get("writeConcern") instanceof Document writeConcern) {
			checkWriteConcern(writeConcern);
		}
		if (command.get("readConcern") instanceof Document readConcern
				&& "linearizable".equals(readConcern.get("level"))) {
			throw ServerErrors.notAReplicaSet("node needs to be a replica set member to use read concern");
		}
	}

	private static void checkWriteConcern(Document writeConcern) {
		Object w = writeConcern.get("w");
		if (w instanceof Number number && number.intValue() > 1) {
			throw ServerErrors.badValue("cannot use 'w' > 1 when a host is not replicated: w is " + w);
		}
		if (w instanceof String && !"majority".equals(w)) {
			throw ServerErrors
				.badValue("cannot use non-majority 'w' mode " + w + " when a host is not a member of a replica set");
		}
	}

	@Override
	public void introduce(Document hello, Channel channel) {
		// a standalone server reports no set
	}

	@Override
	public Document write(Document command, Supplier<WriteReply> write) {
		return write.get().document();
	}

	@Override
	public void complete(Document reply) {
		// It reports no cluster time, either
	}

	@Override
	public void indexCreated(Document reply) {
		// It reports no quorum, either
	}

	@Override
	public void changed(Change change) {
		// No client can ask for the change
	}

	@Override
	public void cursorsKilled() {
		// No client waits
	}

	@Override
	public @Nullable BsonTimestamp clusterTime() {
		return null;
	}

	@Override
	public ChangeLog changes() {
		throw ServerErrors.location(40573, "The $changeStream stage is only supported on replica sets");
	}

}
