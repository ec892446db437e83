package io.mongolock.mongodb;

import java.util.List;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.mongodb.EntityWriter.Written;
import io.mongolock.mongodb.store.DocumentKey;

/**
 * One statement that writes a document, if its holder still has its lock, and releases
 * that unless it is to be kept. They are those that were recorded on a real server: a
 * change here has to be proved there. Immutable.
 *
 * @param filter finds the document while the lock is held
 * @param update what to change, {@code null} to delete the document
 */
record ReleasingWrite(Document filter, @Nullable Document update) {

	/**
	 * Write an entity.
	 * @param kept the terms of the grant that is to be kept and renewed, {@code null} to
	 * release the lock
	 */
	static ReleasingWrite save(LockTicket ticket, @Nullable BsonDocument kept, String field, Written<?> written,
			Document change) {
		return of(ticket, field, written.before(), (kept != null) ? keeping(change, kept, field, written.version() + 1)
				: releasing(change, ticket, field));
	}

	private static Document keeping(Document change, BsonDocument kept, String field, long version) {
		Document renewed = new Document(field + ".holders.$.renewedAt", true);
		BsonDocument grant = kept.clone().append("version", new BsonInt64(version));
		Document opened = new Document("version", version).append("by", List.of(grant));
		return new Document(change).append("$set", part(change, "$set").append(field + ".opened", opened))
			.append("$currentDate", renewed);
	}

	static ReleasingWrite delete(LockTicket ticket, String field, Document version) {
		return of(ticket, field, version, null);
	}

	private static ReleasingWrite of(LockTicket ticket, String field, Document version, @Nullable Document update) {
		Document filter = held(ticket, field);
		filter.putAll(version);
		return new ReleasingWrite(filter, update);
	}

	/**
	 * Send it.
	 * @param documents the collection
	 * @param concern how sure it is to be
	 * @return whether it found the document, locked by its holder
	 */
	boolean run(MongoCollection<Document> documents, WriteConcern concern) {
		MongoCollection<Document> confirmed = documents.withWriteConcern(concern);
		return (this.update != null) ? confirmed.updateOne(this.filter, this.update).getMatchedCount() != 0
				: confirmed.deleteOne(this.filter).getDeletedCount() != 0;
	}

	/**
	 * Whether it releases the lock.
	 * @return {@code false} if it keeps it
	 */
	boolean releases() {
		return this.update == null || this.update.containsKey("$pull");
	}

	private static Document releasing(Document change, LockTicket ticket, String field) {
		return new Document(change).append("$pull",
				part(change, "$pull").append(field + ".holders", new Document("token", ticket.lease().leaseToken())));
	}

	/**
	 * What finds a document while its lock is held. A claim of the token that is executed
	 * late has another fence, and no two have one.
	 * @param ticket the lock
	 * @param field the field of the lock
	 * @return the filter
	 */
	static Document held(LockTicket ticket, String field) {
		return new Document("_id", DocumentKey.parse(ticket.key()).id())
			.append(field + ".holders.token", ticket.lease().leaseToken())
			.append(field + ".holders.fence", ticket.fence());
	}

	private static Document part(Document change, String operator) {
		return new Document(change.get(operator, new Document()));
	}

}
