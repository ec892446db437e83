package io.mongolock.test.embedded;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * The position of a change stream, as clients see it: {@code {_data: "82…"}}. It is
 * opaque to them, and sorts in the order of time.
 *
 * @param time the time of the last change seen
 */
record ResumeToken(BsonTimestamp time) {

	private static final String DATA = "_data";

	private static final int HEX = 16;

	private static final Pattern FORMAT = Pattern.compile("82([0-9A-F]{8})([0-9A-F]{8})");

	static ResumeToken parse(@Nullable Object token) {
		if (!(token instanceof Document document) || !(document.get(DATA) instanceof String data)) {
			throw ServerErrors.location(40647, "Bad resume token: _data of missing or of wrong type " + token);
		}
		Matcher matcher = FORMAT.matcher(data);
		if (!matcher.matches()) {
			throw ServerErrors.failedToParse("The resume token is none of this server: " + data);
		}
		long seconds = Long.parseLong(matcher.group(1), HEX);
		return new ResumeToken(new BsonTimestamp(seconds << Integer.SIZE | Long.parseLong(matcher.group(2), HEX)));
	}

	Document toDocument() {
		return new Document(DATA, String.format("82%08X%08X", this.time.getTime(), this.time.getInc()));
	}

}
