package io.mongolock.data;

import java.util.Optional;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.convert.MongoConverter;
import org.springframework.data.mongodb.core.convert.QueryMapper;
import org.springframework.data.mongodb.core.convert.UpdateMapper;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.query.Collation;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.data.mongodb.core.query.UpdateDefinition.ArrayFilter;
import org.springframework.data.mongodb.util.BsonUtils;

/**
 * One guarded update as it is sent. This class maps it as the template does (names,
 * values, version, collation, array filters), because the template has no write concern
 * or time limit for a single update. Immutable.
 */
final class GuardedUpdate {

	private final Document filter;

	private final Document change;

	private final UpdateOptions options;

	private final @Nullable Long fence;

	/**
	 * Map an update.
	 * @param converter maps it
	 * @param query finds the document
	 * @param update the change; this object is not modified
	 * @param type the type of the document
	 * @param fence the fence to check and note, {@code null} for neither
	 */
	GuardedUpdate(MongoConverter converter, Query query, Update update, Class<?> type, @Nullable Long fence) {
		MongoPersistentEntity<?> entity = converter.getMappingContext().getPersistentEntity(type);
		QueryMapper mapper = new QueryMapper(converter);
		this.filter = new Document(mapper.getMappedObject(query.getQueryObject(), entity));
		this.change = new UpdateMapper(converter).getMappedObject(update.getUpdateObject(), entity);
		this.options = options(mapper, query, update, entity);
		this.fence = fence;
		refuseFence();
		if (entity != null && entity.hasVersionProperty()) {
			String version = entity.getRequiredVersionProperty().getFieldName();
			if (!update.modifies(version)) {
				part("$inc").put(version, 1);
			}
		}
		if (fence != null) {
			part("$set").put(FencedWrites.FIELD, fence);
		}
	}

	UpdateResult run(MongoCollection<Document> collection) {
		// matches a missing field, too
		Document guarded = (this.fence != null) ? fenced(new Document("$not", new Document("$gt", this.fence)))
				: this.filter;
		return collection.updateOne(guarded, this.change, this.options);
	}

	/**
	 * Whether a later holder has written the document. Asks the primary, because a
	 * secondary might not know yet.
	 * @param collection the collection
	 * @return whether there is such a document
	 */
	boolean isStale(MongoCollection<Document> collection) {
		return collection.withReadPreference(ReadPreference.primary())
			.find(fenced(new Document("$gt", this.fence)))
			.collation(this.options.getCollation())
			.projection(new Document("_id", 1))
			.first() != null;
	}

	private Document fenced(Document condition) {
		return new Document(this.filter).append(FencedWrites.FIELD, condition);
	}

	private Document part(String operator) {
		return (Document) this.change.computeIfAbsent(operator, (name) -> new Document());
	}

	private void refuseFence() {
		boolean touched = this.filter.containsKey(FencedWrites.FIELD) || this.change.entrySet()
			.stream()
			.anyMatch((part) -> !part.getKey().startsWith("$")
					|| part.getValue() instanceof Document changed && changed.containsKey(FencedWrites.FIELD));
		if (touched) {
			throw new IllegalArgumentException("A guarded update must not replace the document, and must not name '"
					+ FencedWrites.FIELD
					+ "', the field of the guard. Leave this field out of the query and the update, and change single "
					+ "fields, for example with Update.set");
		}
	}

	private static UpdateOptions options(QueryMapper mapper, Query query, Update update,
			@Nullable MongoPersistentEntity<?> entity) {
		UpdateOptions options = new UpdateOptions();
		query.getCollation()
			.or(() -> Optional.ofNullable(entity).map(MongoPersistentEntity::getCollation))
			.map(Collation::toMongoCollation)
			.ifPresent(options::collation);
		if (update.hasArrayFilters()) {
			options.arrayFilters(update.getArrayFilters().stream().map(ArrayFilter::asDocument).toList());
		}
		if (query.isSorted()) {
			options.sort(mapper.getMappedSort(query.getSortObject(), entity));
		}
		String hint = query.getHint();
		if (hint != null) {
			return (BsonUtils.isJsonDocument(hint)) ? options.hint(Document.parse(hint)) : options.hintString(hint);
		}
		return options;
	}

}
