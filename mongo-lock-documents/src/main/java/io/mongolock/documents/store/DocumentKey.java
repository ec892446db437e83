package io.mongolock.documents.store;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

import io.mongolock.store.KeyText;

/**
 * The document to lock. As the key of a lock, its text is the name of the collection and
 * the id as mongosh writes it, for example {@code posts:p1} or
 * {@code posts:ObjectId("65a1…")}.
 *
 * @param collection the name of the collection
 * @param id the id as it is stored
 */
public record DocumentKey(String collection, BsonValue id) {

	private static final JsonWriterSettings MONGOSH = JsonWriterSettings.builder().outputMode(JsonMode.SHELL).build();

	/**
	 * The depth to which MongoDB nests documents. Deeper texts are refused, because the
	 * parser recurses.
	 */
	private static final int MAX_DEPTH = 100;

	private static final Set<String> WORDS = Set.of("true", "false", "null", "undefined", "NaN", "Infinity", "MinKey",
			"MaxKey");

	/** Up to this value, whole numbers are the same in all kinds of numbers. */
	private static final double MAX_WHOLE = 1L << 53;

	/**
	 * Create a key. A number is the same id in all kinds of numbers, as in MongoDB.
	 * @throws IllegalArgumentException as {@link #checkId} does
	 */
	public DocumentKey {
		id = canonical(id);
		checkId(id);
	}

	/**
	 * Refuse a value that cannot be an id, because a filter would take it for a
	 * condition.
	 * @throws IllegalArgumentException if it is such a value
	 */
	public static void checkId(BsonValue id) {
		boolean condition = id.isRegularExpression() || id.isArray()
				|| (id.isDocument() && id.asDocument().keySet().stream().anyMatch((name) -> name.startsWith("$")));
		if (condition) {
			throw new IllegalArgumentException(
					"'" + KeyText.printable(id.toString()) + "' is not a valid id of a document");
		}
	}

	private static BsonValue canonical(BsonValue id) {
		if (!id.isInt64() && !(id.isDouble() && Math.abs(id.asDouble().getValue()) <= MAX_WHOLE)) {
			return id;
		}
		long whole = id.asNumber().longValue();
		if (id.asNumber().doubleValue() != whole) {
			return id;
		}
		return ((int) whole == whole) ? new BsonInt32((int) whole) : new BsonInt64(whole);
	}

	/**
	 * Read a key from its text.
	 * @throws IllegalArgumentException if the text is no key
	 */
	public static DocumentKey parse(String text) {
		String collection = collectionOf(text).orElse("");
		int at = text.indexOf(':') + 1;
		if (at == text.length() || collection.isEmpty()) {
			throw new IllegalArgumentException("'" + KeyText.printable(text)
					+ "' is not a document's key. The form of a document's key is collection:id");
		}
		return new DocumentKey(collection, value(text.substring(at)));
	}

	/**
	 * The collection that the beginning of a key names.
	 * @return the collection, empty if the prefix ends within its name
	 */
	static Optional<String> collectionOf(String prefix) {
		int end = prefix.indexOf(':');
		return (end < 0) ? Optional.empty()
				: Optional.of(prefix.substring(0, end).replace("%3A", ":").replace("%25", "%"));
	}

	/**
	 * The beginning of the key of each document of a collection.
	 */
	static String beginning(String collection) {
		return collection.replace("%", "%25").replace(":", "%3A") + ":";
	}

	/**
	 * The beginning of ids that are texts, if their keys have a prefix.
	 * @return the beginning; empty if the prefix does not restrict it
	 */
	static String textOf(String prefix) {
		String start = prefix.substring(prefix.indexOf(':') + 1);
		return (prefix.indexOf(':') >= 0 && isPlain(start)) ? start : "";
	}

	private static BsonValue value(String text) {
		if (isPlain(text)) {
			return new BsonString(text);
		}
		if (text.chars().filter((character) -> character == '{' || character == '[').count() > MAX_DEPTH) {
			throw new IllegalArgumentException(
					"'" + KeyText.printable(text) + "' is nested too deeply to be the id of a document");
		}
		try {
			return Objects.requireNonNull(BsonDocument.parse("{id: " + text + "}").get("id"));
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException("'" + KeyText.printable(text) + "' is not the id of a document", ex);
		}
	}

	private String idText() {
		if (this.id instanceof BsonString string && isPlain(string.getValue())) {
			return string.getValue();
		}
		String json = new BsonDocument("id", this.id).toJson(MONGOSH);
		return json.substring(json.indexOf(':') + 1, json.length() - 1).trim();
	}

	// Whether mongosh could not read the text as another value
	private static boolean isPlain(String text) {
		return !text.isEmpty() && Character.isLetter(text.charAt(0)) && text.indexOf('(') < 0 && !WORDS.contains(text);
	}

	@Override
	public String toString() {
		return beginning(this.collection) + idText();
	}

}
