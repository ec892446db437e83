package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of a document an answer shows, and which it computes.
 *
 * @param fields the fields to include or exclude, {@code null} for all
 * @param computed fields given by an expression
 */
record Projection(@Nullable Document fields, Map<String, Expression> computed) {

	private static final Set<String> PROJECTION_OPERATORS = Set.of("$slice", "$elemMatch", "$meta");

	static Projection parse(@Nullable Object specification) {
		if (!(specification instanceof Document document) || document.isEmpty()) {
			return new Projection(null, Map.of());
		}
		Document fields = new Document();
		Map<String, Expression> computed = new LinkedHashMap<>();
		document.forEach((name, value) -> {
			if (isExpression(value)) {
				computed.put(name, new ExpressionParser().parse(value));
			}
			else {
				fields.put(name, value);
			}
		});
		if (!computed.isEmpty()) {
			checkIncludesOnly(fields);
			// a computed field makes it an inclusion: only such fields and the _id are
			// shown
			fields.putIfAbsent("_id", true);
		}
		return new Projection(fields, computed);
	}

	private static boolean isExpression(@Nullable Object value) {
		return value instanceof String || (value instanceof Document document && document.size() == 1
				&& !PROJECTION_OPERATORS.contains(document.keySet().iterator().next()));
	}

	private static void checkIncludesOnly(Document fields) {
		fields.forEach((name, value) -> {
			if (!name.equals("_id") && !(value instanceof Document) && !Utils.isTrue(value)) {
				throw ServerErrors.location(31254, "Cannot do exclusion on field " + name + " in inclusion projection");
			}
		});
	}

	/**
	 * Whether the fields are plain names to include, so that the library is not needed.
	 */
	boolean isPlainInclusion() {
		return this.fields != null
				&& this.fields.entrySet()
					.stream()
					.allMatch((field) -> field.getKey().indexOf('.') < 0 && !(field.getValue() instanceof Document)
							&& (Utils.isTrue(field.getValue()) || field.getKey().equals("_id")))
				&& this.fields.entrySet().stream().anyMatch((field) -> Utils.isTrue(field.getValue()));
	}

	/**
	 * Whether the fields are plain names to exclude, or arrays whose beginning is shown.
	 * The library would take such arrays for fields to include.
	 */
	boolean isPlainExclusion() {
		return this.fields != null && this.computed.isEmpty()
				&& this.fields.entrySet()
					.stream()
					.allMatch((field) -> field.getKey().indexOf('.') < 0 && (first(field.getValue()) > 0
							|| !(field.getValue() instanceof Document) && !Utils.isTrue(field.getValue())));
	}

	// The number of elements of an array to show, zero if the value does not limit an
	// array
	private static int first(@Nullable Object value) {
		return (value instanceof Document document && document.size() == 1
				&& document.get("$slice") instanceof Number number) ? Math.max(0, number.intValue()) : 0;
	}

	Document exclude(Document document) {
		Document result = new Document();
		Document fields = (this.fields != null) ? this.fields : new Document();
		document.forEach((name, value) -> {
			int first = first(fields.get(name));
			if (first > 0) {
				result.put(name, (value instanceof List<?> list && list.size() > first)
						? new ArrayList<>(list.subList(0, first)) : value);
			}
			else if (!fields.containsKey(name)) {
				result.put(name, value);
			}
		});
		return result;
	}

	Document include(Document document) {
		Document result = new Document();
		document.forEach((name, value) -> {
			boolean shown = (this.fields == null) || Utils.isTrue(this.fields.getOrDefault(name, name.equals("_id")));
			if (shown) {
				result.put(name, value);
			}
		});
		return result;
	}

	void addComputed(Document result, Variables variables) {
		this.computed.forEach((name, expression) -> {
			Object value = expression.evaluate(variables);
			if (value != Values.MISSING) {
				result.put(name, value);
			}
		});
	}

}
