package io.mongolock.faults.harness;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import org.bson.Document;

import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.server.SuiteServer;

/**
 * One server that rows are shown on, reached directly: what comes before and after its
 * host in connection strings, and what figures that are measured on it are marked with.
 */
public record Target(String host, int port, String credentials, String options, String label) {

	private static final Pattern URI = Pattern
		.compile("mongodb://(?<credentials>[^/]*@)?[^/?]+(/[^?]*)?(\\?(?<options>.*))?");

	private static final List<String> OF_A_SET = List.of("replicaset=", "directconnection=");

	public static Target embedded(int port) {
		return new Target("127.0.0.1", port, "", "?directConnection=true", RowFigures.EMBEDDED);
	}

	// The real server of the tests, or the primary of the replica set
	public static Optional<Target> given() {
		return SuiteServer.get().uri().map(Target::of);
	}

	public String connectionString() {
		return at(this.host, this.port);
	}

	public String through(FaultProxy proxy) {
		return at("127.0.0.1", proxy.port());
	}

	private String at(String host, int port) {
		return "mongodb://" + this.credentials + host + ":" + port + "/" + this.options;
	}

	static Target of(String uri) {
		Matcher parts = URI.matcher(uri);
		if (!parts.matches()) {
			throw new IllegalArgumentException("Rows can be shown on a server that is named by "
					+ "mongodb://[user:password@]host:port/[?options], not on " + uri.replaceAll("//.*@", "//…@"));
		}
		try (MongoClient client = MongoClients.create(uri)) {
			Document hello = RealServer.run(client, "hello");
			String address = address(hello, client.getClusterDescription());
			int colon = address.lastIndexOf(':');
			return new Target(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)),
					part(parts, "credentials"), options(part(parts, "options")), RealServer.label(client));
		}
	}

	// What the URI says if that is the primary itself: what it calls itself may be known
	// only to its own network
	private static String address(Document hello, ClusterDescription cluster) {
		String primary = hello.getString("primary");
		boolean reached = cluster.getConnectionMode() == ClusterConnectionMode.SINGLE
				&& hello.getBoolean("isWritablePrimary", false);
		return (primary != null && !reached) ? primary : cluster.getServerDescriptions().get(0).getAddress().toString();
	}

	private static String options(String given) {
		Stream<String> kept = Arrays.stream(given.split("&"))
			.filter((option) -> !option.isEmpty())
			.filter((option) -> OF_A_SET.stream().noneMatch(option.toLowerCase(Locale.ROOT)::startsWith));
		return Stream.concat(Stream.of("?directConnection=true"), kept).collect(Collectors.joining("&"));
	}

	private static String part(Matcher parts, String name) {
		return Optional.ofNullable(parts.group(name)).orElse("");
	}
}
