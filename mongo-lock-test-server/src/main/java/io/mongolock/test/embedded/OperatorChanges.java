package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The changes by update operators, field by field as a server logs them: each field that
 * an operator names, with its new value if that differs from the old one.
 */
final class OperatorChanges {

	private final Map<String, Object> updated = new LinkedHashMap<>();

	private final List<String> removed = new ArrayList<>();

	private OperatorChanges() {
	}

	/**
	 * Compute the changes.
	 * @param change a change by operators
	 * @return its changes
	 */
	static OperatorChanges of(Change change) {
		OperatorChanges changes = new OperatorChanges();
		// a server applies them in the order of the fields, whatever the operators
		operatorsByPath(change.operators()).forEach((path, operator) -> changes.compare(operator, "",
				List.of(path.split("\\.")), change.before(), change.after()));
		return changes;
	}

	private static Map<String, String> operatorsByPath(@Nullable Document operators) {
		Map<String, String> paths = new TreeMap<>();
		if (operators != null) {
			operators.forEach((operator, fields) -> ((Document) fields).forEach((path, argument) -> {
				paths.put(path, operator);
				if (operator.equals("$rename")) {
					paths.put(String.valueOf(argument), operator);
				}
			}));
		}
		return paths;
	}

	private void compare(String operator, String done, List<String> rest, @Nullable Object before,
			@Nullable Object after) {
		if (Values.areEqual(before, after)) {
			return;
		}
		if (rest.isEmpty()) {
			note(operator, done, before, after);
			return;
		}
		String name = rest.get(0);
		List<String> further = rest.subList(1, rest.size());
		if (!name.startsWith("$")) {
			compare(operator, join(done, name), further, child(before, name), child(after, name));
		}
		else if (after instanceof List<?> list) {
			for (int i = 0; i < list.size(); i++) {
				String index = String.valueOf(i);
				compare(operator, join(done, index), further, child(before, index), list.get(i));
			}
		}
	}

	private void note(String operator, String path, @Nullable Object before, @Nullable Object after) {
		if (after == Values.MISSING) {
			this.removed.add(path);
		}
		else if (operator.equals("$push") && before instanceof List<?> from && after instanceof List<?> to
				&& isAppended(from, to)) {
			for (int i = from.size(); i < to.size(); i++) {
				this.updated.put(path + "." + i, to.get(i));
			}
		}
		else {
			this.updated.put(path, after);
		}
	}

	private static boolean isAppended(List<?> before, List<?> after) {
		return !before.isEmpty() && after.size() > before.size()
				&& Values.areEqual(before, after.subList(0, before.size()));
	}

	private static @Nullable Object child(@Nullable Object value, String name) {
		if (value instanceof Document document) {
			return document.getOrMissing(name);
		}
		if (value instanceof List<?> list && name.chars().allMatch(Character::isDigit)) {
			int index = Integer.parseInt(name);
			return (index < list.size()) ? list.get(index) : Values.MISSING;
		}
		return Values.MISSING;
	}

	private static String join(String path, String name) {
		return path.isEmpty() ? name : path + "." + name;
	}

	Document toDescription(UpsertRace version) {
		Document fields = new Document();
		if (version == UpsertRace.RETRY) {
			// 5.0 logs fields of the document before those further inside
			this.updated.forEach((path, value) -> putIf(path.indexOf('.') < 0, fields, path, value));
			this.updated.forEach((path, value) -> putIf(path.indexOf('.') >= 0, fields, path, value));
			return new Document("updatedFields", fields).append("removedFields", this.removed)
				.append("truncatedArrays", List.of());
		}
		fields.putAll(this.updated);
		return new Document("updatedFields", fields).append("removedFields", this.removed);
	}

	private static void putIf(boolean condition, Document target, String path, @Nullable Object value) {
		if (condition) {
			target.put(path, value);
		}
	}

}
