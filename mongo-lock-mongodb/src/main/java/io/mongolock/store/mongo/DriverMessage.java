package io.mongolock.store.mongo;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteError;

/**
 * The driver's message on a failure, shortened: it names each server of the cluster with
 * its last trouble, but leaves out the raw answer. It also leaves out stored values,
 * because the message on a refused statement repeats them, tokens included. The cause
 * keeps the full message.
 */
final class DriverMessage {

	private static final String CLUSTER = ". Client view of cluster state is ";

	private static final String RESPONSE = ". The full response is ";

	private static final Pattern SERVER = Pattern.compile("\\{address=([^,}]+), type=(\\w+)");

	/** The last match in the text on a server is the cause of the others. */
	private static final Pattern TROUBLE = Pattern.compile("\\{(?:\\w+\\.)+(\\w+)(: [^}]*)?}");

	/** The pool of connections to a server; its address is enough. */
	private static final Pattern SERVER_ID = Pattern.compile("ServerId\\{.*?address=([^,}]+)}");

	/** The whole exception, with tokens in it; its name is enough. */
	private static final Pattern COMMAND = Pattern.compile(" command \\{ ?\"?(\\w+).*", Pattern.DOTALL);

	/** A part of a document, or of the key of an index. */
	private static final Pattern VALUES = Pattern.compile("(?: dup key:)? ?\\{.*}", Pattern.DOTALL);

	private static final int MAX_LENGTH = 200;

	private DriverMessage() {
	}

	static String of(Throwable failure) {
		if (failure instanceof MongoWriteException write) {
			return refused(write.getError(), write.getServerAddress());
		}
		if (failure instanceof MongoBulkWriteException bulk && !bulk.getWriteErrors().isEmpty()) {
			int more = bulk.getWriteErrors().size() - 1;
			return refused(bulk.getWriteErrors().get(0), bulk.getServerAddress())
					+ ((more > 0) ? ", and " + more + " more" : "");
		}
		if (failure instanceof MongoCommandException command) {
			return refused(command.getErrorCode(), command.getErrorMessage(), command.getServerAddress());
		}
		return withoutValues(described(failure));
	}

	private static String refused(WriteError error, ServerAddress server) {
		return refused(error.getCode(), error.getMessage(), server);
	}

	private static String refused(int code, String message, ServerAddress server) {
		return "error " + code + ": '" + shortened(withoutValues(message)) + "' on server " + server;
	}

	private static String withoutValues(String message) {
		return VALUES.matcher(COMMAND.matcher(message).replaceAll(" command $1")).replaceAll("");
	}

	private static String described(Throwable failure) {
		String message = SERVER_ID.matcher(String.valueOf(failure.getMessage())).replaceAll("$1");
		int cluster = message.indexOf(CLUSTER);
		if (cluster >= 0) {
			return message.substring(0, cluster) + ": " + servers(message.substring(cluster + CLUSTER.length()));
		}
		int response = message.indexOf(RESPONSE);
		// A truncated message does not contain the end that a pattern would look for
		String said = shortened(withoutValues((response >= 0) ? message.substring(0, response) : message));
		// The text becomes part of a sentence
		return said.replaceFirst("\\.$", "") + where(failure, message);
	}

	private static String servers(String cluster) {
		List<String> servers = new ArrayList<>();
		Matcher server = SERVER.matcher(cluster);
		boolean found = server.find();
		while (found) {
			String what = server.group(1) + " " + server.group(2);
			int from = server.end();
			found = server.find();
			servers.add(what + trouble(cluster.substring(from, (found) ? server.start() : cluster.length())));
		}
		return (servers.isEmpty()) ? shortened(cluster) : String.join(", ", servers);
	}

	private static String trouble(String ofServer) {
		Matcher trouble = TROUBLE.matcher(ofServer);
		String last = "";
		while (trouble.find()) {
			last = " (" + trouble.group(1) + shortened((trouble.group(2) != null) ? trouble.group(2) : "") + ")";
		}
		return last;
	}

	// The driver's message on a failed socket names neither the kind of failure nor the
	// server
	private static String where(Throwable failure, String message) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof MongoSocketException socket
					&& !message.contains(socket.getServerAddress().toString())) {
				return " (" + socket.getClass().getSimpleName() + ", " + socket.getServerAddress() + ")";
			}
		}
		return "";
	}

	private static String shortened(String text) {
		return (text.length() > MAX_LENGTH) ? text.substring(0, MAX_LENGTH) + "…" : text;
	}

}
