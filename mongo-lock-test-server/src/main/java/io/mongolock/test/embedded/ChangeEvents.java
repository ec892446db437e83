package io.mongolock.test.embedded;

import java.util.Locale;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Shows changes as the events of a change stream. For an update by a pipeline, MongoDB
 * 4.4 logs a replacement of the document. MongoDB 5.0 logs the difference unless it is
 * larger.
 */
final class ChangeEvents {

	private final UpsertRace version;

	private final @Nullable Lookup lookup;

	/**
	 * Create the events of one stream.
	 * @param version the version to behave as
	 * @param lookup finds the current state of an updated document, {@code null} if the
	 * stream does not ask for it
	 */
	ChangeEvents(UpsertRace version, @Nullable Lookup lookup) {
		this.version = version;
		this.lookup = lookup;
	}

	Document event(BsonTimestamp time, Change change) {
		Document description = updateDescription(change);
		Document event = new Document("_id", new ResumeToken(time).toDocument())
			.append("operationType", operationType(change, description))
			.append("clusterTime", time);
		if (change.transaction() != null) {
			event.putAll(change.transaction());
		}
		Document after = change.after();
		if (description != null) {
			addLookup(event, change);
		}
		else if (after != null) {
			event.append("fullDocument", after);
		}
		if (change.kind() != Change.Kind.INVALIDATE) {
			event.append("ns", new Document("db", change.database()).append("coll", change.collection()));
		}
		Document document = (after != null) ? after : change.before();
		if (document != null) {
			event.append("documentKey", new Document("_id", document.get("_id")));
		}
		if (description != null) {
			event.append("updateDescription", description);
		}
		return event;
	}

	private void addLookup(Document event, Change change) {
		if (this.lookup != null && change.after() != null) {
			event.append("fullDocument", this.lookup.find(change.collection(), change.after().get("_id")));
		}
	}

	private static String operationType(Change change, @Nullable Document description) {
		if (change.kind() == Change.Kind.PIPELINE) {
			return (description != null) ? "update" : "replace";
		}
		return change.kind().name().toLowerCase(Locale.ROOT);
	}

	private @Nullable Document updateDescription(Change change) {
		if (change.before() == null || change.after() == null) {
			return null;
		}
		return switch (change.kind()) {
			case UPDATE -> OperatorChanges.of(change).toDescription(this.version);
			case PIPELINE ->
				(this.version == UpsertRace.RETRY) ? DocumentDelta.description(change.before(), change.after()) : null;
			default -> null;
		};
	}

	/**
	 * Finds a document as it is now.
	 */
	@FunctionalInterface
	interface Lookup {

		@Nullable Document find(String collection, @Nullable Object id);

	}

}
