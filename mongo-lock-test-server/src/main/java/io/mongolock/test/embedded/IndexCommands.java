package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;

import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import org.jspecify.annotations.Nullable;

/**
 * The commands on indexes of one database. The library keeps the descriptions of all
 * indexes in one collection. A TTL is an option there, which only this class reads.
 */
final class IndexCommands {

	private static final String TTL = "expireAfterSeconds";

	private static final List<String> IDENTITY = List.of("unique", "sparse", "partialFilterExpression", "collation",
			TTL);

	private final EmbeddedDatabase database;

	private final Topology topology;

	IndexCommands(EmbeddedDatabase database, Topology topology) {
		this.database = database;
		this.topology = topology;
	}

	Document list(Document command) {
		synchronized (this.database) {
			String namespace = namespace(command, "listIndexes");
			// The index of the ids was created first, wherever the storage lists it
			Comparator<Document> idsFirst = Comparator.comparing((index) -> !"_id_".equals(index.get("name")));
			return Replies.cursor(namespace,
					descriptions(namespace).stream().map(IndexCommands::listed).sorted(idsFirst).toList(), 0);
		}
	}

	private static Document listed(Document description) {
		Document index = new Document("v", 2);
		index.putAll(description);
		index.remove("ns");
		return index;
	}

	Document create(Document command) {
		synchronized (this.database) {
			boolean created = this.database.existing(command, "createIndexes") == null;
			String namespace = this.database.orCreate(command, "createIndexes").getFullName();
			int before = descriptions(namespace).size();
			for (Object index : (List<?>) command.getOrDefault("indexes", List.of())) {
				create(namespace, (Document) index);
			}
			int after = descriptions(namespace).size();
			Document reply = new Document("createdCollectionAutomatically", created).append("numIndexesBefore", before)
				.append("numIndexesAfter", after);
			if (before == after) {
				reply.remove("createdCollectionAutomatically");
				reply.append("note", "all indexes already exist");
			}
			else {
				this.topology.indexCreated(reply);
			}
			return Replies.ok(reply);
		}
	}

	private void create(String namespace, Document index) {
		key(index);
		checkTtl(index);
		for (Document existing : descriptions(namespace)) {
			boolean sameName = Objects.equals(existing.get("name"), index.get("name"));
			boolean sameKey = Values.areEqual(existing.get("key"), index.get("key"));
			if (sameName && sameKey && hasSameOptions(existing, index)) {
				return;
			}
			if (sameKey) {
				throw ServerErrors
					.indexOptionsConflict("Index with the same key exists with another name or other options:"
							+ " existing " + existing + ", requested " + index);
			}
			if (sameName) {
				throw ServerErrors.indexKeySpecsConflict("Index with the same name exists with another key: existing "
						+ existing + ", requested " + index);
			}
		}
		this.database.checkUnused(namespace.substring(this.database.getDatabaseName().length() + 1));
		index.put("ns", namespace);
		this.database.addIndex(index);
	}

	private static boolean hasSameOptions(Document existing, Document requested) {
		return IDENTITY.stream()
			.allMatch((option) -> Values.areEqual(existing.getOrMissing(option), requested.getOrMissing(option)));
	}

	private static void checkTtl(Document index) {
		Object seconds = index.get(TTL);
		if (!index.containsKey(TTL)) {
			return;
		}
		if (!(seconds instanceof Number number) || number.longValue() < 0 || number.longValue() > Integer.MAX_VALUE) {
			throw ServerErrors.cannotCreateIndex(
					"TTL index '" + TTL + "' must be a number from 0 to " + Integer.MAX_VALUE + ", not " + seconds);
		}
		if (key(index).size() != 1) {
			throw ServerErrors.cannotCreateIndex("TTL indexes are single-field indexes: " + index);
		}
	}

	Document collMod(Document command) {
		synchronized (this.database) {
			String namespace = namespace(command, "collMod");
			this.database.checkUnused(String.valueOf(command.get("collMod")));
			Document reply = new Document();
			if (command.get("validator") instanceof Document validator) {
				this.database.orCreate(command, "collMod").validateBy(validator);
			}
			if (command.get("index") instanceof Document change) {
				Document index = find(namespace,
						change.containsKey("name") ? change.get("name") : change.get("keyPattern"));
				Object seconds = change.get(TTL);
				if (!index.containsKey(TTL) || !(seconds instanceof Number)) {
					throw ServerErrors.badValue("no " + TTL + " field to update in index " + index);
				}
				reply.append(TTL + "_old", index.get(TTL)).append(TTL + "_new", seconds);
				this.database.indexDescriptions()
					.updateDocuments(identity(index), new Document("$set", new Document(TTL, seconds)),
							ArrayFilters.empty(), false, false, NoopOplog.get());
			}
			return Replies.ok(reply);
		}
	}

	Document drop(Document command) {
		synchronized (this.database) {
			String namespace = namespace(command, "dropIndexes");
			this.database.checkUnused(String.valueOf(command.get("dropIndexes")));
			List<Document> all = descriptions(namespace);
			Object which = command.get("index");
			List<Document> dropped = "*".equals(which)
					? all.stream().filter((index) -> !"_id_".equals(index.get("name"))).toList()
					: List.of(find(namespace, which));
			for (Document index : dropped) {
				if ("_id_".equals(index.get("name"))) {
					throw ServerErrors.invalidOptions("cannot drop _id index");
				}
				this.database.orCreate(command, "dropIndexes").dropIndex(String.valueOf(index.get("name")));
				this.database.indexDescriptions().deleteDocuments(identity(index), 1);
			}
			return Replies.ok(new Document("nIndexesWas", all.size()));
		}
	}

	/**
	 * Delete the documents that have expired by the TTL indexes.
	 * @param now the server's time
	 * @return how many documents were deleted
	 */
	int expire(Instant now) {
		int deleted = 0;
		for (Document index : descriptions(null)) {
			EmbeddedCollection collection = this.database.ofNamespace(String.valueOf(index.get("ns")));
			if (collection != null && index.get(TTL) instanceof Number seconds) {
				String field = key(index).keySet().iterator().next();
				deleted += collection.expire(field, now.minusSeconds(seconds.longValue()));
			}
		}
		return deleted;
	}

	private String namespace(Document command, String name) {
		EmbeddedCollection collection = this.database.existing(command, name);
		if (collection == null) {
			throw ServerErrors.namespaceNotFound("ns does not exist: " + command.get(name));
		}
		return collection.getFullName();
	}

	private Document find(String namespace, @Nullable Object nameOrKey) {
		return descriptions(namespace).stream()
			.filter((index) -> Values.areEqual(index.get("name"), nameOrKey)
					|| Values.areEqual(index.get("key"), nameOrKey))
			.findFirst()
			.orElseThrow(() -> ServerErrors.indexNotFound("index not found: " + nameOrKey + " on " + namespace));
	}

	List<Document> descriptions(@Nullable String namespace) {
		Document filter = (namespace != null) ? new Document("ns", namespace) : new Document();
		return StreamSupport.stream(this.database.indexDescriptions().handleQuery(filter).spliterator(), false)
			.toList();
	}

	private static Document key(Document index) {
		if (index.get("key") instanceof Document key && !key.isEmpty()) {
			return key;
		}
		throw ServerErrors.cannotCreateIndex("The key of an index must be an object with at least one field: " + index);
	}

	private static Document identity(Document index) {
		return new Document("ns", index.get("ns")).append("name", index.get("name"));
	}

}
