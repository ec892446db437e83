package io.mongolock.store.mongo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Map.Entry;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;

/**
 * The commands that were proved on a real server.
 */
public final class RecordedCommands {

	/** Where the embedded server is held to what was recorded of them. */
	static final Path STATEMENTS = Path.of("..", "mongo-lock-test-server", "src", "test", "resources", "real-server",
			"statements.json");

	private RecordedCommands() {
	}

	/**
	 * All recorded commands by the names of their cases.
	 */
	public static Map<String, BsonDocument> read() {
		return statements().collect(Collectors.toMap((statement) -> statement.getString("name").getValue(),
				(statement) -> statement.getDocument("command"), (one, other) -> one, TreeMap::new));
	}

	/**
	 * All recorded commands, and those that came before them.
	 */
	public static Stream<BsonDocument> all() {
		return statements().flatMap((statement) -> Stream
			.concat(statement.getArray("first", new BsonArray()).stream(), Stream.of(statement.get("command")))
			.map(BsonValue::asDocument));
	}

	private static Stream<BsonDocument> statements() {
		try {
			return BsonArray.parse(Files.readString(STATEMENTS)).stream().map(BsonValue::asDocument);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The claim that must lead to a recorded command.
	 */
	public static Claim claim(BsonDocument recorded) {
		String json = recorded.toJson();
		if (!json.contains("$let")) {
			return fastClaim(recorded, json);
		}
		LeaseId id = new LeaseId(recorded.getDocument("query").getString("_id").getValue(),
				number(json, "\\$in\": \\[\\{\"\\$literal\": \"([^\"]+)\""));
		int limit = Integer.parseInt(number(json, "\\$min\": \\[(\\d+),"));
		String reserve = number(json, "\\$add\": \\[\"\\$\\$next\", -(\\d+)\\]");
		boolean waiting = json.contains("\"$$line.token\"]}, {\"$map\"");
		return new Claim(id, limit, (reserve.isEmpty()) ? 0 : Integer.parseInt(reserve),
				(waiting) ? Duration.ofMinutes(1) : null, Claims.OWNER, Duration.ofMinutes(1), false, linger(json));
	}

	private static Claim fastClaim(BsonDocument recorded, String json) {
		LeaseId id = new LeaseId(recorded.getDocument("query").getString("_id").getValue(),
				number(json, "\\{\"token\": \\{\"\\$literal\": \"([^\"]+)\""));
		String reserve = number(json, "1024\\]\\}\\]\\}, -(\\d+)\\]");
		return new Claim(id, 1, (reserve.isEmpty()) ? 0 : Integer.parseInt(reserve), null, Claims.OWNER,
				Duration.ofMinutes(1), true, linger(json));
	}

	/**
	 * The meaning of a command: without what the driver adds, the names of the collection
	 * and owner, and the width of numbers.
	 */
	public static BsonDocument essence(BsonDocument command) {
		BsonDocument essence = normal(command).asDocument();
		essence.put(essence.getFirstKey(), new BsonString("locks"));
		for (String added : new String[] { "$db", "lsid", "writeConcern", "maxTimeMS", "txnNumber", "$clusterTime",
				"$readPreference", "fields", "projection" }) {
			essence.remove(added);
		}
		return essence;
	}

	private static BsonValue normal(BsonValue value) {
		if (value.isNumber()) {
			return new BsonInt64(value.asNumber().longValue());
		}
		if (value.isArray()) {
			return new BsonArray(value.asArray().stream().map(RecordedCommands::normal).toList());
		}
		if (!value.isDocument()) {
			return value;
		}
		BsonDocument normal = new BsonDocument();
		for (Entry<String, BsonValue> field : value.asDocument().entrySet()) {
			boolean owner = field.getKey().equals("owner") && field.getValue().asDocument().containsKey("$literal");
			normal.put(field.getKey(), (owner) ? new BsonString("owner") : normal(field.getValue()));
		}
		return normal;
	}

	private static Duration linger(String json) {
		String linger = number(json, "\"linger\": (\\d+)");
		return (linger.isEmpty()) ? Duration.ZERO : Duration.ofMillis(Long.parseLong(linger));
	}

	private static String number(String json, String pattern) {
		Matcher matcher = Pattern.compile(pattern).matcher(json);
		return (matcher.find()) ? matcher.group(1) : "";
	}

}
