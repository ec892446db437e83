package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an {@code $inc} past the range of a long, which the library would let wrap
 * around. Paths with {@code $} are left to the library.
 */
final class Increments {

	private Increments() {
	}

	static void check(Document document, @Nullable Document operators) {
		if (operators != null && operators.get("$inc") instanceof Document increments) {
			increments.forEach((path, amount) -> check(document, path, amount));
		}
	}

	private static void check(Document document, String path, @Nullable Object amount) {
		if (path.contains("$")) {
			return;
		}
		if (FieldPath.parse(path).evaluate(document) instanceof Long value
				&& (amount instanceof Long || amount instanceof Integer)
				&& overflows(value, ((Number) amount).longValue())) {
			throw ServerErrors.badValue("Failed to apply $inc operations to current value (" + value
					+ ") for document {_id: " + document.get("_id") + "}");
		}
	}

	private static boolean overflows(long value, long amount) {
		long sum = value + amount;
		return ((value ^ sum) & (amount ^ sum)) < 0;
	}

}
