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
 * The only member, and so the primary, of a replica set. It logs changes, knows a cluster
 * time, and runs retryable writes and transactions. Thread-safe.
 */
final class ReplicaSet implements Topology {

	private static final int HASH_LENGTH = 20;

	private final ChangeLog log;

	private final Transactions transactions;

	private final Sessions sessions;

	ReplicaSet(ChangeLog log, Transactions transactions, Sessions sessions) {
		this.log = log;
		this.transactions = transactions;
		this.sessions = sessions;
	}

	@Override
	public void check(String name, Document command) {
		if (command.containsKey("txnNumber") && !command.containsKey("autocommit")
				&& !command.containsKey("startTransaction") && !TransactionCommands.isRetryable(name)) {
			throw ServerErrors.location(50768,
					"txnNumber may only be provided for multi-document transactions and retryable write commands."
							+ " autocommit:false was not provided, and " + name + " is not a retryable write command.");
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
		Document reply = (command.get("txnNumber") instanceof Number number
				&& command.get("lsid") instanceof Document id) ? this.sessions.get(id).write(number.longValue(), write)
						: write.get().document();
		checkWriteConcern(command, reply);
		return reply;
	}

	@Override
	public Document run(Supplier<Document> statement) {
		return this.transactions.besideOthers(statement);
	}

	static void checkWriteConcern(Document command, Document reply) {
		if (command.get("writeConcern") instanceof Document writeConcern) {
			checkWriteConcern(writeConcern.get("w"), reply);
		}
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
		this.log.add(this.transactions.changed(change));
	}

	@Override
	public void created(String namespace) {
		this.transactions.created(namespace);
	}

	@Override
	public boolean hasTransactions() {
		return !this.transactions.isEmpty();
	}

	@Override
	public void checkFree(Change change) {
		if (this.transactions.holds(change, null)) {
			throw new AwaitsTransaction(this.transactions);
		}
	}

	@Override
	public void checkUnused(String database, @Nullable String collection) {
		if (this.transactions.use(database, collection)) {
			throw new AwaitsTransaction(this.transactions);
		}
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
