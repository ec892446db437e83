package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Replaces the recorded times, which are relative to the server's now, and compares
 * answers with what was recorded: times to the second, integers whatever their width.
 */
final class RelativeTimes {

	/**
	 * Recorded dates are rounded to the second.
	 */
	private static final long TOLERANCE_MILLIS = 1_000;

	/** Further away is a date that a statement names. */
	private static final long FAR_MILLIS = 365L * 24 * 60 * 60 * 1000;

	private static final BsonString ANY = new BsonString("any");

	private RelativeTimes() {
	}

	static BsonValue resolve(BsonValue recorded, long now) {
		if (recorded instanceof BsonDocument document) {
			if (document.containsKey("$$ago")) {
				return new BsonDateTime(now - document.getNumber("$$ago").longValue());
			}
			BsonDocument resolved = new BsonDocument();
			document.forEach((name, value) -> resolved.append(name, resolve(value, now)));
			return resolved;
		}
		if (recorded instanceof BsonArray array) {
			return new BsonArray(array.stream().map((value) -> resolve(value, now)).toList());
		}
		return recorded;
	}

	/**
	 * An answer as it is to be recorded: the reverse of what is compared.
	 * @param actual the answer, or a part of it
	 */
	static BsonValue relative(BsonValue actual, Span now) {
		if (actual instanceof BsonDocument document) {
			BsonDocument relative = new BsonDocument();
			document.forEach((name, value) -> relative.append(name, relative(value, now)));
			return relative;
		}
		if (actual instanceof BsonArray array) {
			return new BsonArray(array.stream().map((value) -> relative(value, now)).toList());
		}
		if (actual instanceof BsonDateTime date && Math.abs(date.getValue() - now.from()) < FAR_MILLIS) {
			return placeholder("$$date", text(date.getValue(), now));
		}
		if (actual instanceof BsonInt64 number && now.holds(number.getValue() / 1024)) {
			return placeholder("$$millis*1024", "now");
		}
		return actual.isTimestamp() ? placeholder("$$Timestamp", "any") : actual;
	}

	private static String text(long date, Span now) {
		if (now.holds(date)) {
			return "now";
		}
		long offset = Math.round((date - now.from()) / 1000.0) * 1000;
		return "now" + ((offset < 0) ? "" : "+") + offset;
	}

	private static BsonDocument placeholder(String name, String value) {
		return new BsonDocument(name, new BsonString(value));
	}

	/**
	 * Compare.
	 * @return the differences, each with its path; empty if there are none
	 */
	static List<String> differences(BsonValue recorded, BsonValue actual, Span now) {
		List<String> differences = new ArrayList<>();
		compare("", recorded, actual, now, differences);
		return differences;
	}

	private static void compare(String path, BsonValue recorded, BsonValue actual, Span now, List<String> differences) {
		if (matches(recorded, actual, now)) {
			return;
		}
		if (recorded instanceof BsonDocument expected && actual instanceof BsonDocument found
				&& List.copyOf(expected.keySet()).equals(List.copyOf(found.keySet()))) {
			for (Map.Entry<String, BsonValue> field : expected.entrySet()) {
				compare(path + "." + field.getKey(), field.getValue(), found.get(field.getKey()), now, differences);
			}
		}
		else if (recorded instanceof BsonArray expected && actual instanceof BsonArray found
				&& expected.size() == found.size()) {
			for (int i = 0; i < expected.size(); i++) {
				compare(path + "[" + i + "]", expected.get(i), found.get(i), now, differences);
			}
		}
		else {
			differences.add(path + ": recorded " + recorded + " but was " + actual);
		}
	}

	private static boolean matches(BsonValue recorded, BsonValue actual, Span now) {
		if (recorded instanceof BsonNumber expected && actual instanceof BsonNumber found) {
			return expected.decimal128Value()
				.bigDecimalValue()
				.compareTo(found.decimal128Value().bigDecimalValue()) == 0;
		}
		if (recorded instanceof BsonDocument placeholder && placeholder.size() == 1
				&& placeholder.getFirstKey().startsWith("$$")) {
			return matchesPlaceholder(placeholder, actual, now);
		}
		return recorded.equals(actual) || recorded.equals(ANY);
	}

	private static boolean matchesPlaceholder(BsonDocument placeholder, BsonValue actual, Span now) {
		return switch (placeholder.getFirstKey()) {
			case "$$date" ->
				actual.isDateTime() && (placeholder.get("$$date").equals(ANY) || isNear(actual.asDateTime().getValue(),
						now.plus(offset(placeholder.getString("$$date").getValue()))));
			case "$$number" -> actual.isNumber();
			case "$$millis*1024" -> actual.isNumber() && isNear(actual.asNumber().longValue() / 1024,
					now.plus(offset(placeholder.getString("$$millis*1024").getValue())));
			case "$$Timestamp" -> actual.isTimestamp();
			default ->
				throw new IllegalArgumentException("A recorded placeholder that nobody compares: " + placeholder);
		};
	}

	private static boolean isNear(long actual, Span expected) {
		return actual >= expected.from() - TOLERANCE_MILLIS && actual <= expected.to() + TOLERANCE_MILLIS;
	}

	private static long offset(String relative) {
		return relative.equals("now") ? 0 : Long.parseLong(relative.substring("now".length()));
	}

	/**
	 * The time in which a statement ran, by the server's clock.
	 *
	 * @param from before it was sent
	 * @param to after it was answered
	 */
	record Span(long from, long to) {

		private boolean holds(long millis) {
			return millis >= this.from && millis <= this.to;
		}

		private Span plus(long millis) {
			return new Span(this.from + millis, this.to + millis);
		}

	}

}
