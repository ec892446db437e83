package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import de.bwaldvogel.mongo.backend.Cursor;
import de.bwaldvogel.mongo.backend.aggregation.Aggregation;
import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;

/**
 * An open change stream on one collection. Thread-safe: this object guards its position.
 */
final class ChangeStream implements Cursor {

	private final long id;

	private final Target target;

	private final ChangeLog log;

	private final ChangeEvents events;

	private final Aggregation stages;

	private BsonTimestamp position;

	private boolean ended;

	/**
	 * Open a stream.
	 * @param id the cursor's id
	 * @param target the collection to watch
	 * @param log the changes
	 * @param events how changes are shown
	 * @param stages the rest of the pipeline
	 * @param position the time after which to start
	 */
	ChangeStream(long id, Target target, ChangeLog log, ChangeEvents events, Aggregation stages,
			BsonTimestamp position) {
		this.id = id;
		this.target = target;
		this.log = log;
		this.events = events;
		this.stages = stages;
		this.position = position;
	}

	@Override
	public long getId() {
		return this.id;
	}

	/**
	 * Whether the stream has ended, for example because the collection was dropped.
	 */
	@Override
	public synchronized boolean isEmpty() {
		return this.ended;
	}

	@Override
	public synchronized List<Document> takeDocuments(int numberToReturn) {
		List<Document> batch = new ArrayList<>();
		while (!this.ended && batch.size() < numberToReturn) {
			Map.Entry<BsonTimestamp, Change> next = this.log.after(this.position);
			if (next == null) {
				break;
			}
			this.position = next.getKey();
			if (this.target.isOf(next.getValue())) {
				this.ended = next.getValue().kind() == Change.Kind.INVALIDATE;
				batch.addAll(show(next));
			}
		}
		return batch;
	}

	private List<Document> show(Map.Entry<BsonTimestamp, Change> change) {
		Document event = this.events.event(change.getKey(), change.getValue());
		Document token = (Document) event.get("_id");
		List<Document> shown = this.stages.runStages(Stream.of(event));
		if (shown.isEmpty() && "invalidate".equals(event.get("operationType"))) {
			// No stage holds back this event
			return List.of(event);
		}
		if (!shown.stream().allMatch((document) -> Values.areEqual(token, document.get("_id")))) {
			throw ServerErrors.changeStreamFatalError("Encountered an event whose _id field, which contains the resume"
					+ " token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to"
					+ " resume the stream from that point.");
		}
		return shown;
	}

	/**
	 * The answer to the command that opened the stream or asked for more.
	 * @param field {@code firstBatch} or {@code nextBatch}
	 * @param batch the events
	 * @return the answer
	 */
	synchronized Document reply(String field, List<Document> batch) {
		return Replies.ok(new Document("cursor",
				new Document(field, batch).append("postBatchResumeToken", new ResumeToken(this.position).toDocument())
					.append("id", this.ended ? 0L : this.id)
					.append("ns", this.target.namespace())));
	}

	/**
	 * The collection that a stream watches.
	 *
	 * @param database the database
	 * @param collection the collection's name
	 */
	record Target(String database, String collection) {

		boolean isOf(Change change) {
			return change.database().equals(this.database) && change.collection().equals(this.collection);
		}

		String namespace() {
			return this.database + "." + this.collection;
		}

	}

}
