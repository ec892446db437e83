package io.mongolock.test.embedded;

import java.time.Instant;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * The time at which one statement runs, the same in all its parts.
 *
 * @param now the value of {@code $$NOW}
 * @param cluster the value of {@code $$CLUSTER_TIME}, {@code null} on a standalone server
 */
record StatementTime(Instant now, @Nullable BsonTimestamp cluster) {

	/**
	 * The cluster's time.
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if there is no cluster
	 */
	BsonTimestamp requiredCluster() {
		if (this.cluster == null) {
			throw ServerErrors.location(51144,
					"Builtin variable '$$CLUSTER_TIME' is not available on a standalone server");
		}
		return this.cluster;
	}

}
