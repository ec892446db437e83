package io.mongolock.faults.harness;

import java.util.List;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import org.bson.Document;

import io.mongolock.faults.harness.history.HistoryRecord.Stored;
import io.mongolock.faults.harness.worker.MixedWorker;

/**
 * The documents that mixed workers write under locks, each with the ids of all writes.
 */
record MixedDocuments(WorkerProcesses processes) {

	void insert() {
		MixedWorker.EXCLUSIVE.forEach((key) -> documents("guarded").insertOne(document(key)));
		MixedWorker.EDITED.forEach((id) -> documents("edited").insertOne(document(id).append("version", 0L)));
	}

	private static Document document(String id) {
		return new Document("_id", id).append("log", List.of());
	}

	// What they hold in the end
	void writeDown() {
		MixedWorker.EXCLUSIVE.forEach((key) -> this.processes.write(new Stored(key, log("guarded", key))));
		MixedWorker.EDITED.forEach((id) -> this.processes.write(new Stored("edited:" + id, log("edited", id))));
	}

	private List<String> log(String collection, String id) {
		// As part of a write that a majority confirms
		Document document = documents(collection).findOneAndUpdate(Filters.eq(id), Updates.inc("reads", 1));
		return (document != null) ? document.getList("log", String.class) : List.of();
	}

	private MongoCollection<Document> documents(String collection) {
		return this.processes.observer()
			.getDatabase(Harness.DATABASE)
			.getCollection(collection)
			.withWriteConcern(WriteConcern.MAJORITY);
	}

}
