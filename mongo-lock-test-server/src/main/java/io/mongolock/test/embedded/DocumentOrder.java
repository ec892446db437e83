package io.mongolock.test.embedded;

import java.util.Comparator;
import java.util.List;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The order of a {@code sort}. This is MongoDB's order of all types, with strings
 * compared by their UTF-8 bytes. An array is sorted by its least element, or by its
 * greatest in descending order.
 *
 * @param path the field to sort by
 * @param sign 1 for ascending, -1 for descending
 */
record DocumentOrder(FieldPath path, int sign) implements Comparator<Document> {

	static Comparator<Document> of(Document sort) {
		Comparator<Document> order = (left, right) -> 0;
		for (String field : sort.keySet()) {
			int sign = (sort.get(field) instanceof Number number && number.intValue() < 0) ? -1 : 1;
			order = order.thenComparing(new DocumentOrder(FieldPath.parse(field), sign));
		}
		return order;
	}

	@Override
	public int compare(Document left, Document right) {
		return Values.compare(key(left), key(right)) * this.sign;
	}

	private @Nullable Object key(Document document) {
		Object value = this.path.evaluate(document);
		if (value instanceof List<?> list && !list.isEmpty()) {
			return list.stream()
				.reduce((one, other) -> (Values.compare(one, other) * this.sign <= 0) ? one : other)
				.get();
		}
		// A missing value is sorted like null
		return (value != Values.MISSING) ? value : null;
	}

}
