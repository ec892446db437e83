package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.bson.Document;

/**
 * What a server that is no member of a replica set refuses, whatever the command.
 */
final class StandaloneRules {

	private StandaloneRules() {
	}

	static void check(Document command) {
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

}
