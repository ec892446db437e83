package io.mongolock.mongodb;

import java.util.List;

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

import io.mongolock.mongodb.LockedType.Written;
import io.mongolock.store.LeaseId;
import io.mongolock.store.mongo.DocumentKey;

/**
 * One statement that writes a document and releases its lock, if its holder still has it.
 * They are those that were recorded on a real server: a change here has to be proved
 * there. Immutable.
 *
 * @param filter finds the document while the lock is held
 * @param pipeline what to change, {@code null} if the classic update says it
 * @param update the classic update, {@code null} if the pipeline says it
 * @param options how to update
 */
record ReleasingWrite(Document filter, @Nullable List<Document> pipeline, @Nullable Document update,
		UpdateOptions options) {

	static ReleasingWrite save(LeaseId lease, String field, Written<?> written) {
		Document filter = held(lease, field);
		if (written.versionField() != null) {
			filter.append(written.versionField(), written.version());
		}
		Document entity = new Document(written.document());
		entity.remove("_id");
		entity.remove(field);
		Document others = new Document("$filter", new Document("input", "$" + field + ".holders").append("as", "e")
			.append("cond", new Document("$ne", List.of("$$e.token", literal(lease.leaseToken())))));
		Document lock = new Document("$mergeObjects", List.of("$" + field, new Document("holders", others)));
		Document merged = new Document("$mergeObjects",
				List.of(literal(entity), new Document("_id", "$_id").append(field, lock)));
		return new ReleasingWrite(filter, List.of(new Document("$replaceWith", merged)), null, new UpdateOptions());
	}

	static ReleasingWrite update(LeaseId lease, String field, Update update, UpdateMapper mapper,
			MongoPersistentEntity<?> entity) {
		Document change = new Document(mapper.getMappedObject(update.getUpdateObject(), entity));
		String version = (entity.hasVersionProperty()) ? entity.getRequiredVersionProperty().getFieldName() : null;
		refuseOwnFields(change, field, version);
		if (version != null) {
			change.put("$inc", part(change, "$inc").append(version, 1));
		}
		change.put("$pull",
				part(change, "$pull").append(field + ".holders", new Document("token", lease.leaseToken())));
		UpdateOptions options = new UpdateOptions();
		if (update.hasArrayFilters()) {
			options.arrayFilters(update.getArrayFilters().stream().map(ArrayFilter::asDocument).toList());
		}
		return new ReleasingWrite(held(lease, field), null, change, options);
	}

	UpdateResult run(MongoCollection<Document> documents, WriteConcern concern) {
		MongoCollection<Document> confirmed = documents.withWriteConcern(concern);
		return (this.pipeline != null) ? confirmed.updateOne(this.filter, this.pipeline, this.options)
				: confirmed.updateOne(this.filter, new Document(this.update), this.options);
	}

	private static Document held(LeaseId lease, String field) {
		return new Document("_id", DocumentKey.parse(lease.key()).id()).append(field + ".holders.token",
				lease.leaseToken());
	}

	private static Document part(Document change, String operator) {
		return new Document(change.get(operator, new Document()));
	}

	// A user's text that begins with a dollar would else be a field
	private static Document literal(Object value) {
		return new Document("$literal", value);
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
