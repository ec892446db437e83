package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code $currentDate} by a {@code $set} of the server's time, because the
 * library would take the time of the machine. Sets fields in the order of their names, as
 * the server does.
 */
final class CurrentDate {

	private CurrentDate() {
	}

	static Document resolve(Document operators, Instant now, ServerClock clock) {
		Document dates = fields(operators, "$currentDate");
		// a server applies them, and so adds new fields, in the order of the fields
		Map<String, Object> set = new TreeMap<>(fields(operators, "$set"));
		if (dates.isEmpty() && set.isEmpty()) {
			return operators;
		}
		for (Map.Entry<String, Object> date : dates.entrySet()) {
			if (set.containsKey(date.getKey()) || date.getKey().equals("_id")) {
				// Left to the library, which refuses it
				return operators;
			}
			set.put(date.getKey(), isTimestamp(date.getValue()) ? clock.nextTimestamp() : now);
		}
		Document resolved = operators.clone();
		resolved.remove("$currentDate");
		resolved.put("$set", new Document(set));
		return resolved;
	}

	private static Document fields(Document operators, String operator) {
		return (operators.get(operator) instanceof Document fields) ? fields : new Document();
	}

	private static boolean isTimestamp(@Nullable Object specification) {
		if (specification instanceof Boolean) {
			return false;
		}
		Object type = (specification instanceof Document document) ? document.get("$type") : null;
		if ("timestamp".equals(type) || "date".equals(type)) {
			return "timestamp".equals(type);
		}
		throw ServerErrors.badValue(specification + " is not valid for $currentDate:"
				+ " use true, {$type: 'date'} or {$type: 'timestamp'}");
	}

}
