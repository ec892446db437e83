package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an {@code $unset} stage.
 *
 * @param paths the paths to remove, through arrays too
 */
record FieldRemoval(List<FieldPath> paths) {

	static FieldRemoval parse(@Nullable Object argument) {
		List<?> sources = (argument instanceof List<?> list) ? list : List.of((argument != null) ? argument : "");
		List<FieldPath> paths = new ArrayList<>(sources.size());
		for (Object source : sources) {
			if (!(source instanceof String path) || path.isEmpty()) {
				throw ServerErrors.location(31002,
						"$unset specification must be a string or an array of strings, each with at least one character");
			}
			paths.add(FieldPath.parse(path));
		}
		return new FieldRemoval(paths);
	}

	Document applyTo(Document document, Variables variables) {
		Document result = document;
		for (FieldPath path : this.paths) {
			result = remove(result, path.names());
		}
		return result;
	}

	private static Document remove(Document document, List<String> names) {
		String name = names.get(0);
		if (!document.containsKey(name)) {
			return document;
		}
		Document result = document.clone();
		if (names.size() == 1) {
			result.remove(name);
		}
		else {
			result.put(name, removeFromValue(document.get(name), names.subList(1, names.size())));
		}
		return result;
	}

	private static @Nullable Object removeFromValue(@Nullable Object value, List<String> names) {
		if (value instanceof Document document) {
			return remove(document, names);
		}
		if (value instanceof List<?> list) {
			List<Object> result = new ArrayList<>(list.size());
			list.forEach((element) -> result.add(removeFromValue(element, names)));
			return result;
		}
		return value;
	}

}
