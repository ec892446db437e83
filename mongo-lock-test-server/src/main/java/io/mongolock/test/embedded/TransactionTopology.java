package io.mongolock.test.embedded;

import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The replica set as statements in a transaction see it: each statement runs every time
 * that it is sent, and nothing is logged before the commit.
 *
 * @param set the replica set
 */
record TransactionTopology(Topology set) implements Topology {

	@Override
	public void check(String name, Document command) {
		this.set.check(name, command);
	}

	@Override
	public void introduce(Document hello, Channel channel) {
		this.set.introduce(hello, channel);
	}

	@Override
	public Document write(Document command, Supplier<WriteReply> write) {
		return write.get().document();
	}

	@Override
	public void complete(Document reply) {
		this.set.complete(reply);
	}

	@Override
	public void indexCreated(Document reply) {
		this.set.indexCreated(reply);
	}

	@Override
	public void changed(Change change) {
		// the transaction's database notes it
	}

	@Override
	public void cursorsKilled() {
		this.set.cursorsKilled();
	}

	@Override
	public @Nullable BsonTimestamp clusterTime() {
		return this.set.clusterTime();
	}

	@Override
	public ChangeLog changes() {
		return this.set.changes();
	}

}
