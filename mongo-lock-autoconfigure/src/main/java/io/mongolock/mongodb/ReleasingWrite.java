package io.mongolock.mongodb;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.convert.UpdateMapper;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.data.mongodb.core.query.UpdateDefinition.ArrayFilter;

import io.mongolock.mongodb.EntityWriter.Written;
import io.mongolock.store.LeaseId;
import io.mongolock.store.mongo.DocumentKey;

/**
 * One statement that writes a document and releases its lock, if its holder still has it.
 * They are those that were recorded on a real server: a change here has to be proved
 * there. Immutable.
 *
 * @param filter finds the document while the lock is held
 * @param update what to change
 * @param options how to update
 */
record ReleasingWrite(Document filter, Document update, UpdateOptions options) {

	static ReleasingWrite save(LeaseId lease, String field, Written<?> written, Document change) {
		Document filter = held(lease, field);
		if (written.versionField() != null) {
			filter.append(written.versionField(), written.version());
		}
		return new ReleasingWrite(filter, releasing(change, lease, field), new UpdateOptions());
	}

	static ReleasingWrite update(LeaseId lease, String field, Update update, UpdateMapper mapper,
			MongoPersistentEntity<?> entity) {
		Document change = new Document(mapper.getMappedObject(update.getUpdateObject(), entity));
		String version = (entity.hasVersionProperty()) ? entity.getRequiredVersionProperty().getFieldName() : null;
		refuseOwnFields(change, field, version);
		if (version != null) {
			change.put("$inc", part(change, "$inc").append(version, 1));
		}
		UpdateOptions options = new UpdateOptions();
		if (update.hasArrayFilters()) {
			options.arrayFilters(update.getArrayFilters().stream().map(ArrayFilter::asDocument).toList());
		}
		return new ReleasingWrite(held(lease, field), releasing(change, lease, field), options);
	}

	UpdateResult run(MongoCollection<Document> documents, WriteConcern concern) {
		return documents.withWriteConcern(concern).updateOne(this.filter, this.update, this.options);
	}

	private static Document releasing(Document change, LeaseId lease, String field) {
		return new Document(change).append("$pull",
				part(change, "$pull").append(field + ".holders", new Document("token", lease.leaseToken())));
	}

	private static Document held(LeaseId lease, String field) {
		return new Document("_id", DocumentKey.parse(lease.key()).id()).append(field + ".holders.token",
				lease.leaseToken());
	}

	private static Document part(Document change, String operator) {
		return new Document(change.get(operator, new Document()));
	}

	private static void refuseOwnFields(Document change, String field, @Nullable String version) {
		change.forEach((operator, part) -> {
			if (!operator.startsWith("$")) {
				throw new IllegalArgumentException("An update cannot replace a locked document, but names '" + operator
						+ "': say what to change, with Update.set and the like, or use save");
			}
			((Document) part).keySet().forEach((name) -> {
				if (name.equals(version) || name.equals(field) || name.startsWith(field + ".")) {
					throw new IllegalArgumentException("The update of a locked document changes '" + name + "' by "
							+ operator + ", which the lock itself sees to: leave it out");
				}
			});
		});
	}

}
