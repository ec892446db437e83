package io.mongolock.test.embedded;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
 * A database in memory. It runs the commands that the locks need itself, and leaves the
 * others to the library.
 */
class EmbeddedDatabase extends MemoryDatabase {

	private static final Set<String> LEFT_TO_LIBRARY = Set.of("aggregate", "count", "distinct", "create", "drop",
			"dbstats", "collstats", "validate", "listcollections");

	/** Options that make a collection of another kind. */
	private static final List<String> KINDS = List.of("viewOn", "timeseries", "collation", "clusteredIndex");

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
			case "insert", "update", "findAndModify", "delete" -> write(command, query).get();
			case "find" -> find(query);
			case "listIndexes" -> this.indexCommands.list(query);
			case "createIndexes" -> this.indexCommands.create(query);
			case "dropIndexes" -> this.indexCommands.drop(query);
			case "collMod" -> this.indexCommands.collMod(query);
			case "create" -> {
				checkKind(query);
				yield leave(channel, command, query, databaseResolver, oplog);
			}
			case "drop" -> {
				checkUnused(String.valueOf(query.get(command)));
				yield leave(channel, command, query, databaseResolver, oplog);
			}
			case "aggregate" -> ChangeStreams.isAskedFor(query) ? this.changeStreams.open(query, databaseResolver)
					: leave(channel, command, query, databaseResolver, oplog);
			default -> leave(channel, command, query, databaseResolver, oplog);
		};
	}

	private static void checkKind(Document create) {
		for (String kind : KINDS) {
			if (create.containsKey(kind)) {
				throw ServerErrors
					.invalidOptions("The embedded server has no collections with '" + kind + "': use a real server");
			}
		}
	}

	private Document leave(Channel channel, String command, Document query, DatabaseResolver databaseResolver,
			Oplog oplog) {
		if (!LEFT_TO_LIBRARY.contains(command.toLowerCase(Locale.ROOT))) {
			throw new NoSuchCommandException(command);
		}
		return super.handleCommand(channel, command, prepared(query), databaseResolver, oplog);
	}

	/**
	 * Create a write that can be run again after it had to wait, and then goes on.
	 * @param name the name of the command
	 * @param command the command as sent
	 * @return runs the write
	 */
	Supplier<Document> write(String name, Document command) {
		Supplier<WriteReply> write = this.writes.of(name, command);
		return () -> this.server.topology().write(command, write);
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
		return query;
	}

	/**
	 * Delete the documents that have expired by the TTL indexes.
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

	boolean hasTransactions() {
		return this.server.topology().hasTransactions();
	}

	void checkFree(Change change) {
		this.server.topology().checkFree(change);
	}

	/**
	 * Have a command wait while a transaction uses a collection.
	 * @param collection its name, {@code null} for any of this database
	 */
	void checkUnused(@Nullable String collection) {
		this.server.topology().checkUnused(getDatabaseName(), collection);
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
		return existing(String.valueOf(command.get(name)));
	}

	@Nullable EmbeddedCollection existing(String collection) {
		return (EmbeddedCollection) resolveCollection(collection, false);
	}

	EmbeddedCollection orCreate(Document command, String name) {
		return orCreate(String.valueOf(command.get(name)));
	}

	EmbeddedCollection orCreate(String collection) {
		return (EmbeddedCollection) resolveOrCreateCollection(collection);
	}

	Stream<Document> indexesOf(EmbeddedCollection collection) {
		return this.indexCommands.descriptions(collection.getFullName()).stream();
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
		if (!EmbeddedCollection.isOfSystem(collectionName)) {
			this.server.topology().created(getDatabaseName() + "." + collectionName);
		}
		return new EmbeddedCollection(this, collectionName, options, this.cursorRegistry);
	}

	@Override
	protected Index<Integer> openOrCreateSecondaryIndex(String collectionName, String indexName, List<IndexKey> keys,
			boolean sparse) {
		// The index makes no search faster, but is listed. The library would warn about
		// each index
		return new EmptyIndex<>(indexName, keys);
	}

}
