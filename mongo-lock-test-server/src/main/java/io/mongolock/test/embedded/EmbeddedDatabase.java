package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;

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
			"drop", "dbstats", "collstats", "validate", "listcollections", "listindexes");

	private final ServerClock clock;

	private final WriteCommands writes;

	private final IndexCommands indexCommands;

	EmbeddedDatabase(String name, CursorRegistry cursors, ServerClock clock, UpsertRace upsertRace) {
		super(name, cursors);
		this.clock = clock;
		this.writes = new WriteCommands(this, clock, upsertRace);
		this.indexCommands = new IndexCommands(this);
	}

	@Override
	public Document handleCommand(Channel channel, String command, Document query, DatabaseResolver databaseResolver,
			Oplog oplog) {
		return switch (command) {
			case "find" -> find(query);
			case "insert" -> this.writes.insert(query);
			case "update" -> this.writes.update(query);
			case "findAndModify" -> this.writes.findAndModify(query);
			case "createIndexes" -> this.indexCommands.create(query);
			case "dropIndexes" -> this.indexCommands.drop(query);
			case "collMod" -> this.indexCommands.collMod(query);
			default -> {
				if (!LEFT_TO_LIBRARY.contains(command.toLowerCase(Locale.ROOT))) {
					throw new NoSuchCommandException(command);
				}
				yield super.handleCommand(channel, command, prepared(query), databaseResolver, oplog);
			}
		};
	}

	private Document find(Document query) {
		Instant now = this.clock.now();
		Projection projection = Projection.parse(query.get("projection"));
		EmbeddedCollection collection = existing(query, "find");
		if (collection == null) {
			return Replies.cursor(getDatabaseName() + "." + query.get("find"), List.of(), 0);
		}
		Document filter = (query.get("filter") instanceof Document given) ? given : new Document();
		QueryResult result = collection.find(ExprFilter.bind(filter, now), query, projection, now);
		return Replies.cursor(collection.getFullName(), result.collectDocuments(), result.getCursorId());
	}

	private Document prepared(Document query) {
		Instant now = this.clock.now();
		if (query.get("query") instanceof Document filter) {
			query.put("query", ExprFilter.bind(filter, now));
		}
		if (query.get("deletes") instanceof List<?> deletes) {
			for (Object delete : deletes) {
				((Document) delete).computeIfPresent("q", (name, filter) -> ExprFilter.bind((Document) filter, now));
			}
		}
		if (query.get("pipeline") instanceof List<?> stages && !stages.isEmpty()
				&& ((Document) stages.get(0)).containsKey("$changeStream")) {
			throw ServerErrors.location(40573, "The $changeStream stage is only supported on replica sets");
		}
		return query;
	}

	/**
	 * Delete what the TTL indexes have run out for.
	 * @return how many documents were deleted
	 */
	int expire() {
		return this.indexCommands.expire(this.clock.now());
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
		super.dropCollection(collectionName, oplog);
	}

	@Override
	protected EmbeddedCollection openOrCreateCollection(String collectionName, CollectionOptions options) {
		return new EmbeddedCollection(this, collectionName, options, this.cursorRegistry);
	}

	@Override
	protected Index<Integer> openOrCreateSecondaryIndex(String collectionName, String indexName, List<IndexKey> keys,
			boolean sparse) {
		// finds nothing faster, but is listed; the library would warn about each
		return new EmptyIndex<>(indexName, keys);
	}

}
