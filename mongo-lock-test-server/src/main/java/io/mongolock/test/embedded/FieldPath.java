package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A path like {@code a.b.c} into documents and through arrays.
 *
 * @param names the names from the outside in, possibly none
 */
record FieldPath(List<String> names) {

	static FieldPath parse(String path) {
		if (path.endsWith(".")) {
			throw ServerErrors.location(40353, "FieldPath must not end with a '.'.");
		}
		List<String> names = List.of(path.split("\\.", -1));
		for (String name : names) {
			checkName(name);
		}
		return new FieldPath(names);
	}

	private static void checkName(String name) {
		if (name.isEmpty()) {
			throw ServerErrors.location(15998, "FieldPath field names may not be empty strings.");
		}
		if (name.startsWith("$")) {
			throw ServerErrors.location(16410, "FieldPath field names may not start with '$': '" + name + "'.");
		}
		if (name.indexOf('\0') >= 0) {
			throw ServerErrors.location(16411, "FieldPath field names may not contain '\\0'.");
		}
	}

	/**
	 * Follow the path. Through an array, it leads to an array of the values that its
	 * documents have there. Documents without a value leave no gap.
	 * @param start the value to start from
	 * @return the value, or {@link Values#MISSING}
	 */
	@Nullable Object evaluate(@Nullable Object start) {
		return evaluate(start, 0);
	}

	private @Nullable Object evaluate(@Nullable Object value, int index) {
		if (index == this.names.size()) {
			return value;
		}
		if (value instanceof Document document) {
			return evaluate(document.getOrMissing(this.names.get(index)), index + 1);
		}
		if (value instanceof List<?> list) {
			return evaluateEach(list, index);
		}
		return Values.MISSING;
	}

	private List<Object> evaluateEach(List<?> list, int index) {
		List<Object> found = new ArrayList<>(list.size());
		for (Object element : list) {
			Object value = (element instanceof Document) ? evaluate(element, index) : Values.MISSING;
			if (value != Values.MISSING) {
				found.add(value);
			}
		}
		return found;
	}

}
