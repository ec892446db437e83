package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a {@code $set} stage as a tree: {@code {a: {b: 1}}} and {@code {"a.b":
 * 1}} both set a field of a sub-document and leave its other fields alone.
 */
final class FieldAssignments {

	private final Map<String, Object> children = new LinkedHashMap<>();

	private FieldAssignments() {
	}

	static FieldAssignments parse(Document fields) {
		FieldAssignments root = new FieldAssignments();
		root.addAll(fields);
		return root;
	}

	private void addAll(Document fields) {
		fields.forEach((path, source) -> {
			List<String> names = FieldPath.parse(path).names();
			FieldAssignments parent = this;
			for (String name : names.subList(0, names.size() - 1)) {
				parent = parent.child(name);
			}
			parent.add(names.get(names.size() - 1), source);
		});
	}

	private void add(String name, @Nullable Object source) {
		if (source instanceof Document document && !document.isEmpty()
				&& !document.keySet().iterator().next().startsWith("$")) {
			child(name).addAll(document);
		}
		else if (this.children.put(name, new ExpressionParser().parse(source)) != null) {
			throw conflict(name);
		}
	}

	private FieldAssignments child(String name) {
		Object child = this.children.computeIfAbsent(name, (key) -> new FieldAssignments());
		if (child instanceof FieldAssignments assignments) {
			return assignments;
		}
		throw conflict(name);
	}

	private static RuntimeException conflict(String name) {
		return ServerErrors.location(40176, "specification contains two conflicting paths, both set '" + name + "'");
	}

	Document applyTo(Document document, Variables variables) {
		Document result = document.clone();
		this.children.forEach((name, child) -> {
			Object value = (child instanceof FieldAssignments assignments)
					? assignments.applyToValue(result.get(name), variables) : ((Expression) child).evaluate(variables);
			if (value != Values.MISSING) {
				result.put(name, value);
			}
			else {
				result.remove(name);
			}
		});
		return result;
	}

	private Object applyToValue(@Nullable Object value, Variables variables) {
		if (value instanceof Document document) {
			return applyTo(document, variables);
		}
		if (value instanceof List<?> list) {
			List<Object> result = new ArrayList<>(list.size());
			list.forEach((element) -> result.add(applyToValue(element, variables)));
			return result;
		}
		return applyTo(new Document(), variables);
	}

}
