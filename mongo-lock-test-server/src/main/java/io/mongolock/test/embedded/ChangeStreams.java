package io.mongolock.test.embedded;

import java.util.List;
import java.util.Map;
import java.util.Set;

import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.aggregation.Aggregation;
import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import org.jspecify.annotations.Nullable;

/**
 * Opens change streams on the collections of one database.
 */
final class ChangeStreams {

	private static final String STAGE = "$changeStream";

	private static final int DEFAULT_BATCH_SIZE = 101;

	private static final Set<String> OPTIONS = Set.of("fullDocument", "resumeAfter", "startAfter",
			"startAtOperationTime");

	private static final Set<String> TOKENS = Set.of("resumeAfter", "startAfter");

	private static final Set<String> STAGES = Set.of("$match", "$project", "$addFields", "$set", "$replaceRoot",
			"$replaceWith", "$unset", "$redact");

	private final EmbeddedDatabase database;

	private final CursorRegistry cursors;

	private final ServerState server;

	ChangeStreams(EmbeddedDatabase database, CursorRegistry cursors, ServerState server) {
		this.database = database;
		this.cursors = cursors;
		this.server = server;
	}

	/**
	 * Whether an {@code aggregate} asks for a change stream.
	 * @param command the command as sent
	 * @return whether it begins with the stage
	 */
	static boolean isAskedFor(Document command) {
		return command.get("pipeline") instanceof List<?> stages && !stages.isEmpty()
				&& ((Document) stages.get(0)).containsKey(STAGE);
	}

	/**
	 * Open a stream.
	 * @param command the {@code aggregate} as sent
	 * @param databases the databases of the server
	 * @return the answer, with an open cursor
	 */
	Document open(Document command, DatabaseResolver databases) {
		List<Document> pipeline = Aggregation.parse(command.get("pipeline"));
		Document options = options(pipeline.get(0).get(STAGE));
		ChangeLog log = this.server.topology().changes();
		if (!(command.get("aggregate") instanceof String collection)) {
			throw ServerErrors.invalidOptions(
					"The embedded server streams the changes of one collection: watch a collection, or use a real server");
		}
		List<Document> rest = pipeline.subList(1, pipeline.size());
		checkStages(rest);
		Aggregation stages = Aggregation.fromPipeline(rest, databases, this.database,
				this.database.existing(command, "aggregate"), NoopOplog.get());
		ChangeStream stream = new ChangeStream(this.cursors.generateCursorId(),
				new ChangeStream.Target(this.database.getDatabaseName(), collection), log, events(options), stages,
				start(options, log));
		List<Document> firstBatch = stream.takeDocuments(batchSize(command));
		if (!stream.isEmpty()) {
			this.cursors.add(stream);
		}
		return stream.reply("firstBatch", firstBatch);
	}

	private static Document options(@Nullable Object argument) {
		if (!(argument instanceof Document options)) {
			throw ServerErrors.location(50808, "$changeStream stage expects a document as argument.");
		}
		for (Map.Entry<String, Object> option : options.entrySet()) {
			if (!OPTIONS.contains(option.getKey())) {
				throw ServerErrors.location(40415, "BSON field '$changeStream." + option.getKey()
						+ "' is an unknown field of the embedded server, which knows " + OPTIONS);
			}
			if (TOKENS.contains(option.getKey())) {
				// Checked even on a server without streams
				ResumeToken.parse(option.getValue());
			}
		}
		return options;
	}

	private static void checkStages(List<Document> stages) {
		for (Document stage : stages) {
			String name = stage.keySet().iterator().next();
			if (name.equals(STAGE)) {
				throw ServerErrors.location(40602, "$changeStream is only valid as the first stage in a pipeline.");
			}
			if (!STAGES.contains(name)) {
				throw ServerErrors.illegalOperation(name + " is not permitted in a $changeStream pipeline");
			}
		}
	}

	private ChangeEvents events(Document options) {
		Object fullDocument = options.getOrDefault("fullDocument", "default");
		if (!"default".equals(fullDocument) && !"updateLookup".equals(fullDocument)) {
			throw ServerErrors.badValue("unrecognized value for the 'fullDocument' option to the $changeStream stage:"
					+ " expected \"default\" or \"updateLookup\", got " + fullDocument);
		}
		return new ChangeEvents(this.server.upsertRace(),
				"updateLookup".equals(fullDocument) ? this.database::current : null);
	}

	private static BsonTimestamp start(Document options, ChangeLog log) {
		if (options.get("startAfter") instanceof Document token) {
			return ResumeToken.parse(token).time();
		}
		if (options.get("resumeAfter") instanceof Document token) {
			return resume(ResumeToken.parse(token), log.at(ResumeToken.parse(token).time()));
		}
		if (options.get("startAtOperationTime") instanceof BsonTimestamp time) {
			// The stream starts at this time, not after it
			return new BsonTimestamp(time.getValue() - 1);
		}
		return log.latest();
	}

	private static BsonTimestamp resume(ResumeToken token, @Nullable Change change) {
		if (change != null && change.kind() == Change.Kind.INVALIDATE) {
			throw ServerErrors.invalidResumeToken(
					"Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate"
							+ " notification.");
		}
		return token.time();
	}

	private static int batchSize(Document command) {
		return (command.get("cursor") instanceof Document cursor && cursor.get("batchSize") instanceof Number number)
				? number.intValue() : DEFAULT_BATCH_SIZE;
	}

}
