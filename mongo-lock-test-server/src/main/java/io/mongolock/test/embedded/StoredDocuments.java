package io.mongolock.test.embedded;

import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Checks documents to store. They must have the same {@code _id} as before, in front, and
 * no field name that starts with a dollar sign.
 */
final class StoredDocuments {

	private static final String ID = "_id";

	private StoredDocuments() {
	}

	/**
	 * Check the result of an update.
	 * @param before the document before the update
	 * @param after the document after the update, possibly without its {@code _id}
	 * @return the document to store
	 */
	static Document checked(Document before, Document after) {
		checkNames(after);
		if (!before.containsKey(ID)) {
			return after;
		}
		Object id = before.get(ID);
		if (after.containsKey(ID) && !Values.areEqual(id, after.get(ID))) {
			throw ServerErrors.immutableField("Performing an update on the path '_id' would modify the immutable field"
					+ " '_id': it was " + id + " and would be " + after.get(ID));
		}
		if (after.containsKey(ID) && after.keySet().iterator().next().equals(ID)) {
			return after;
		}
		Document result = new Document(ID, id);
		after.forEach(result::putIfAbsent);
		return result;
	}

	private static void checkNames(@Nullable Object value) {
		if (value instanceof Document document) {
			for (Map.Entry<String, Object> field : document.entrySet()) {
				if (field.getKey().startsWith("$")) {
					throw ServerErrors.dollarPrefixedFieldName(
							"The dollar ($) prefixed field '" + field.getKey() + "' is not valid for storage.");
				}
				checkNames(field.getValue());
			}
		}
		else if (value instanceof List<?> list) {
			list.forEach(StoredDocuments::checkNames);
		}
	}

}
