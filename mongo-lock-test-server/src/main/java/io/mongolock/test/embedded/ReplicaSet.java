package io.mongolock.test.embedded;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The one member, and so the primary, of a replica set: it logs changes, knows a cluster
 * time and runs retryable writes. Thread-safe.
 */
final class ReplicaSet implements Topology {

	private static final int HASH_LENGTH = 20;

	private final ChangeLog log;

	private final RetryableWrites retryableWrites = new RetryableWrites();

	ReplicaSet(ChangeLog log) {
		this.log = log;
	}

	@Override
	public void check(Document command) {
		if (command.containsKey("autocommit")) {
			throw ServerErrors.illegalOperation(
					"The embedded server has no transactions of several statements: use a real replica set");
		}
	}

	@Override
	public void introduce(Document hello, Channel channel) {
		InetSocketAddress address = (InetSocketAddress) channel.localAddress();
		String host = address.getAddress().getHostAddress();
		String me = (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
		hello.append("setName", EmbeddedMongo.REPLICA_SET_NAME)
			.append("setVersion", 1)
			.append("secondary", false)
			.append("hosts", List.of(me))
			.append("primary", me)
			.append("me", me);
	}

	@Override
	public Document write(Document command, Supplier<WriteReply> write) {
		Document reply = this.retryableWrites.run(command, write);
		if (command.get("writeConcern") instanceof Document writeConcern) {
			checkWriteConcern(writeConcern.get("w"), reply);
		}
		return reply;
	}

	private static void checkWriteConcern(@Nullable Object w, Document reply) {
		if (w instanceof Number number && number.intValue() > 1) {
			reply.append("writeConcernError", new Document("code", 100).append("codeName", "UnsatisfiableWriteConcern")
				.append("errmsg", "Not enough data-bearing nodes"));
		}
		else if (w instanceof String && !"majority".equals(w)) {
			reply.append("writeConcernError", new Document("code", 79).append("codeName", "UnknownReplWriteConcern")
				.append("errmsg", "No write concern mode named '" + w + "' found"));
		}
	}

	@Override
	public void complete(Document reply) {
		BsonTimestamp time = clusterTime();
		Document signature = new Document("hash", new BinData(new byte[HASH_LENGTH])).append("keyId", 0L);
		reply.append("$clusterTime", new Document("clusterTime", time).append("signature", signature))
			.append("operationTime", time);
	}

	@Override
	public void indexCreated(Document reply) {
		reply.append("commitQuorum", "votingMembers");
	}

	@Override
	public void changed(Change change) {
		this.log.add(change);
	}

	@Override
	public void cursorsKilled() {
		this.log.tellListeners();
	}

	@Override
	public BsonTimestamp clusterTime() {
		return this.log.latest();
	}

	@Override
	public ChangeLog changes() {
		return this.log;
	}

}
