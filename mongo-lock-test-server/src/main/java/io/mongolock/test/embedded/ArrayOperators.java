package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The operators that take arrays apart and put them together, and {@code $mergeObjects},
 * which merges documents.
 */
final class ArrayOperators {

	private ArrayOperators() {
	}

	static Map<String, Operator> all() {
		return Map.of("$filter", ArrayOperators::filter, //
				"$map", ArrayOperators::map, //
				"$in", Operator.ofValues("$in", 2, 2, ArrayOperators::in), //
				"$size", Operator.ofValues("$size", 1, 1, ArrayOperators::size), //
				"$slice", Operator.ofValues("$slice", 2, 3, ArrayOperators::slice), //
				"$indexOfArray", Operator.ofValues("$indexOfArray", 2, 4, ArrayOperators::indexOf), //
				"$concatArrays", Operator.ofValues("$concatArrays", 0, Operators.ANY_NUMBER, ArrayOperators::concat), //
				"$arrayElemAt", Operator.ofValues("$arrayElemAt", 2, 2, ArrayOperators::elementAt), //
				"$isArray", Operator.ofValues("$isArray", 1, 1, (values) -> values.get(0) instanceof List), //
				"$mergeObjects", Operator.ofValues("$mergeObjects", 0, Operators.ANY_NUMBER, ArrayOperators::merge));
	}

	private static Expression filter(@Nullable Object argument, ExpressionParser parser) {
		Document parameters = Operators.named("$filter", argument, 28646);
		checkNames("$filter", parameters, Set.of("input", "as", "cond"), 28647);
		Expression input = parser.parse(Operators.required("$filter", parameters, "input", 28648));
		String as = String.valueOf(parameters.getOrDefault("as", "this"));
		Expression cond = parser.with(Set.of(as)).parse(Operators.required("$filter", parameters, "cond", 28650));
		return (variables) -> {
			List<?> list = arrayOrNull("$filter", input.evaluate(variables), 28651);
			if (list == null) {
				return null;
			}
			List<Object> kept = new ArrayList<>(list.size());
			for (Object element : list) {
				if (Values.isTrue(cond.evaluate(variables.with(as, element)))) {
					kept.add(element);
				}
			}
			return kept;
		};
	}

	private static Expression map(@Nullable Object argument, ExpressionParser parser) {
		Document parameters = Operators.named("$map", argument, 16878);
		checkNames("$map", parameters, Set.of("input", "as", "in"), 16879);
		Expression input = parser.parse(Operators.required("$map", parameters, "input", 16880));
		String as = String.valueOf(parameters.getOrDefault("as", "this"));
		Expression in = parser.with(Set.of(as)).parse(Operators.required("$map", parameters, "in", 16882));
		return (variables) -> {
			List<?> list = arrayOrNull("$map", input.evaluate(variables), 16883);
			if (list == null) {
				return null;
			}
			List<Object> mapped = new ArrayList<>(list.size());
			for (Object element : list) {
				Object value = in.evaluate(variables.with(as, element));
				mapped.add((value != Values.MISSING) ? value : null);
			}
			return mapped;
		};
	}

	private static Object in(List<Object> values) {
		Object array = values.get(1);
		if (!(array instanceof List<?> list)) {
			throw ServerErrors.location(40081,
					"$in requires an array as a second argument, found: " + ValueType.of(array).alias());
		}
		return list.stream().anyMatch((element) -> Values.areEqual(values.get(0), element));
	}

	private static Object size(List<Object> values) {
		if (!(values.get(0) instanceof List<?> list)) {
			throw ServerErrors.location(17124,
					"The argument to $size must be an array, but was of type: " + ValueType.of(values.get(0)).alias());
		}
		return list.size();
	}

	private static @Nullable Object slice(List<Object> values) {
		if (values.stream().anyMatch(Values::isNullish)) {
			return null;
		}
		List<?> list = array("$slice", values.get(0), 28724);
		int first = integer("$slice", values.get(1), 28725);
		if (values.size() == 2) {
			int from = (first < 0) ? Math.max(0, list.size() + first) : 0;
			return copy(list, from, (first < 0) ? list.size() : Math.min(first, list.size()));
		}
		int count = integer("$slice", values.get(2), 28727);
		if (count <= 0) {
			throw ServerErrors.location(28729, "Third argument to $slice must be positive: " + count);
		}
		int from = (first < 0) ? Math.max(0, list.size() + first) : Math.min(first, list.size());
		return copy(list, from, (int) Math.min((long) from + count, list.size()));
	}

	private static List<Object> copy(List<?> list, int from, int to) {
		return new ArrayList<>(list.subList(from, to));
	}

	private static @Nullable Object indexOf(List<Object> values) {
		if (Values.isNullish(values.get(0))) {
			return null;
		}
		List<?> list = array("$indexOfArray", values.get(0), 40090);
		int start = (values.size() > 2) ? integer("$indexOfArray", values.get(2), 40096) : 0;
		int end = (values.size() > 3) ? integer("$indexOfArray", values.get(3), 40096) : list.size();
		if (start < 0 || end < 0) {
			throw ServerErrors.location(40097, "$indexOfArray requires nonnegative start and end indexes");
		}
		for (int i = start; i < Math.min(end, list.size()); i++) {
			if (Values.areEqual(list.get(i), values.get(1))) {
				return i;
			}
		}
		return -1;
	}

	private static @Nullable Object concat(List<Object> values) {
		List<Object> all = new ArrayList<>();
		for (Object value : values) {
			List<?> list = arrayOrNull("$concatArrays", value, 28664);
			if (list == null) {
				return null;
			}
			all.addAll(list);
		}
		return all;
	}

	private static @Nullable Object elementAt(List<Object> values) {
		if (values.stream().anyMatch(Values::isNullish)) {
			return null;
		}
		List<?> list = array("$arrayElemAt", values.get(0), 28689);
		int index = integer("$arrayElemAt", values.get(1), 28690);
		int fromStart = (index < 0) ? list.size() + index : index;
		return (fromStart >= 0 && fromStart < list.size()) ? list.get(fromStart) : Values.MISSING;
	}

	private static Object merge(List<Object> values) {
		// One operand may be an array of the documents
		List<?> documents = (values.size() == 1 && values.get(0) instanceof List<?> list) ? list : values;
		Document merged = new Document();
		for (Object value : documents) {
			if (value instanceof Document document) {
				merged.putAll(document);
			}
			else if (!Values.isNullish(value)) {
				throw ServerErrors.location(40400,
						"$mergeObjects requires object inputs, but input is of type " + ValueType.of(value).alias());
			}
		}
		return merged;
	}

	private static void checkNames(String operator, Document parameters, Set<String> allowed, int code) {
		for (String name : parameters.keySet()) {
			if (!allowed.contains(name)) {
				throw ServerErrors.location(code, "Unrecognized parameter to " + operator + ": " + name);
			}
		}
	}

	private static @Nullable List<?> arrayOrNull(String operator, @Nullable Object value, int code) {
		return Values.isNullish(value) ? null : array(operator, value, code);
	}

	private static List<?> array(String operator, @Nullable Object value, int code) {
		if (value instanceof List<?> list) {
			return list;
		}
		throw ServerErrors.location(code, operator + " only supports arrays, not " + ValueType.of(value).alias());
	}

	private static int integer(String operator, @Nullable Object value, int code) {
		if (value instanceof Number number && number.intValue() == number.doubleValue()) {
			return number.intValue();
		}
		throw ServerErrors.location(code,
				operator + " needs a number that fits into 32 bits without a fraction, not " + value);
	}

}
