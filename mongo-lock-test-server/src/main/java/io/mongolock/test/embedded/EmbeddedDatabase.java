package io.mongolock.test.embedded;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.EmptyIndex;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.NoSuchCommandException;
import de.bwaldvogel.mongo.oplog.Oplog;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * A database in memory: takes the commands that the locks need into its own hands and
 * leaves the others to the library.
 */
final class EmbeddedDatabase extends MemoryDatabase {

	private static final Set<String> LEFT_TO_LIBRARY = Set.of("delete", "aggregate", "count", "distinct", "create",
			"drop", "dbstats", "collstats", "validate", "listcollections");

	private final ServerState server;

	private final WriteCommands writes;

	private final IndexCommands indexCommands;

	private final ChangeStreams changeStreams;

	EmbeddedDatabase(String name, CursorRegistry cursors, ServerState server) {
		super(name, cursors);
		this.server = server;
		this.writes = new WriteCommands(this, server);
		this.indexCommands = new IndexCommands(this, server.topology());
		this.changeStreams = new ChangeStreams(this, cursors, server);
	}

	@Override
	public Document handleCommand(Channel channel, String command, Document query, DatabaseResolver databaseResolver,
			Oplog oplog) {
		return switch (command) {
			case "find" -> find(query);
			case "insert" -> write(query, () -> this.writes.insert(query));
			case "update" -> write(query, () -> this.writes.update(query));
			case "findAndModify" -> write(query, () -> this.writes.findAndModify(query));
			case "delete" -> write(query, () -> deleted(leave(channel, command, query, databaseResolver, oplog)));
			case "listIndexes" -> this.indexCommands.list(query);
			case "createIndexes" -> this.indexCommands.create(query);
			case "dropIndexes" -> this.indexCommands.drop(query);
			case "collMod" -> this.indexCommands.collMod(query);
			case "aggregate" -> ChangeStreams.isAskedFor(query) ? this.changeStreams.open(query, databaseResolver)
					: leave(channel, command, query, databaseResolver, oplog);
			default -> leave(channel, command, query, databaseResolver, oplog);
		};
	}

	private Document leave(Channel channel, String command, Document query, DatabaseResolver databaseResolver,
			Oplog oplog) {
		if (!LEFT_TO_LIBRARY.contains(command.toLowerCase(Locale.ROOT))) {
			throw new NoSuchCommandException(command);
		}
		return super.handleCommand(channel, command, prepared(query), databaseResolver, oplog);
	}

	private Document write(Document command, Supplier<WriteReply> write) {
		return this.server.topology().write(command, write);
	}

	private static WriteReply deleted(Document reply) {
		return new WriteReply(reply, reply.get("n") instanceof Number number && number.intValue() > 0);
	}

	private Document find(Document query) {
		StatementTime time = this.server.time();
		Projection projection = Projection.parse(query.get("projection"));
		EmbeddedCollection collection = existing(query, "find");
		if (collection == null) {
			return Replies.cursor(getDatabaseName() + "." + query.get("find"), List.of(), 0);
		}
		Document filter = (query.get("filter") instanceof Document given) ? given : new Document();
		QueryResult result = collection.find(ExprFilter.bind(filter, time), query, projection, time);
		return Replies.cursor(collection.getFullName(), result.collectDocuments(), result.getCursorId());
	}

	private Document prepared(Document query) {
		StatementTime time = this.server.time();
		if (query.get("query") instanceof Document filter) {
			query.put("query", ExprFilter.bind(filter, time));
		}
		if (query.get("deletes") instanceof List<?> deletes) {
			for (Object delete : deletes) {
				((Document) delete).computeIfPresent("q", (name, filter) -> ExprFilter.bind((Document) filter, time));
			}
		}
		return query;
	}

	/**
	 * Delete what the TTL indexes have run out for.
	 * @return how many documents were deleted
	 */
	int expire() {
		return this.indexCommands.expire(this.server.clock().now());
	}

	/**
	 * Note a change of one of the collections.
	 * @param change what was done
	 */
	void changed(Change change) {
		this.server.topology().changed(change);
	}

	/**
	 * A document as it is now.
	 * @param collection the collection's name
	 * @param id its {@code _id}
	 * @return a copy, {@code null} if there is none
	 */
	@Nullable Document current(String collection, @Nullable Object id) {
		EmbeddedCollection existing = (EmbeddedCollection) resolveCollection(collection, false);
		return (existing != null) ? existing.current(id) : null;
	}

	@Nullable EmbeddedCollection existing(Document command, String name) {
		return (EmbeddedCollection) resolveCollection(String.valueOf(command.get(name)), false);
	}

	EmbeddedCollection orCreate(Document command, String name) {
		return (EmbeddedCollection) resolveOrCreateCollection(String.valueOf(command.get(name)));
	}

	@Nullable EmbeddedCollection ofNamespace(String namespace) {
		return (EmbeddedCollection) resolveCollection(namespace.substring(getDatabaseName().length() + 1), false);
	}

	MongoCollection<Integer> indexDescriptions() {
		return getOrCreateIndexesCollection();
	}

	@Override
	protected synchronized void addIndex(Document indexDescription) {
		super.addIndex(indexDescription);
	}

	@Override
	public synchronized MongoCollection<Integer> createCollectionOrThrowIfExists(String collectionName,
			CollectionOptions options) {
		return super.createCollectionOrThrowIfExists(collectionName, options);
	}

	@Override
	public synchronized void dropCollection(String collectionName, Oplog oplog) {
		EmbeddedCollection collection = (EmbeddedCollection) resolveCollection(collectionName, false);
		super.dropCollection(collectionName, oplog);
		if (collection != null) {
			collection.dropped();
		}
	}

	@Override
	protected EmbeddedCollection openOrCreateCollection(String collectionName, CollectionOptions options) {
		return new EmbeddedCollection(this, collectionName, options, this.cursorRegistry);
	}

	@Override
	protected Index<Integer> openOrCreateSecondaryIndex(String collectionName, String indexName, List<IndexKey> keys,
			boolean sparse) {
		// Finds nothing faster, but is listed; the library would warn about each
		return new EmptyIndex<>(indexName, keys);
	}

}
