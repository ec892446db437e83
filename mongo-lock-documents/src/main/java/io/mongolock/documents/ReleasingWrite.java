package io.mongolock.documents;

import java.util.List;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.documents.EntityWriter.Written;
import io.mongolock.documents.store.DocumentKey;

/**
 * A statement that writes a document if its holder still has the lock, and releases or
 * renews the lock. The statements were recorded on a real server: a change here must be
 * proved there. Immutable.
 *
 * @param filter finds the document while the lock is held
 * @param update the pipeline that replaces the document, {@code null} to delete it
 * @param releases whether the lock is released, {@code false} if it is renewed
 */
record ReleasingWrite(Document filter, @Nullable List<Document> update, boolean releases) {

	/**
	 * Write an entity.
	 * @param keep whether to keep and renew the lock
	 */
	static ReleasingWrite save(LeaseProof proof, boolean keep, EntityWriter writer, Written<?> written) {
		String holders = "$" + writer.field() + ".holders";
		Document token = new Document("$literal", proof.lease().leaseToken());
		Document own = new Document("$eq", List.of("$$e.token", token));
		Document others = new Document("$filter", new Document("input", holders).append("as", "e")
			.append("cond", new Document("$ne", List.of("$$e.token", token))));
		Document renewal = new Document("renewedAt", "$$NOW");
		if (proof.draft() != 0) {
			renewal.append("draft", new Document("number", proof.draft()).append("version", written.version() + 1));
		}
		Document now = new Document("$mergeObjects", List.of("$$e", renewal));
		Document renewed = new Document("$map", new Document("input", holders).append("as", "e")
			.append("in", new Document("$cond", List.of(own, now, "$$e"))));
		Document lock = new Document("$mergeObjects",
				List.of("$" + writer.field(), new Document("holders", (keep) ? renewed : others)));
		return new ReleasingWrite(held(proof, writer.field(), written.before()), writer.replacement(written, lock),
				!keep);
	}

	static ReleasingWrite delete(LeaseProof proof, String field, Document version) {
		return new ReleasingWrite(held(proof, field, version), null, true);
	}

	/**
	 * Send the statement.
	 * @param documents the collection
	 * @param concern the write concern
	 * @return whether it found the document, locked by its holder
	 */
	boolean run(MongoCollection<Document> documents, WriteConcern concern) {
		MongoCollection<Document> confirmed = documents.withWriteConcern(concern);
		return (this.update != null) ? confirmed.updateOne(this.filter, this.update).getMatchedCount() != 0
				: confirmed.deleteOne(this.filter).getDeletedCount() != 0;
	}

	// A claim of the token that is executed late is granted another fence, so this also
	// compares the fence
	private static Document held(LeaseProof proof, String field, Document version) {
		Document filter = new Document("_id", DocumentKey.parse(proof.key()).id())
			.append(field + ".holders.token", proof.lease().leaseToken())
			.append(field + ".holders.fence", proof.fence());
		filter.putAll(version);
		return filter;
	}

}
