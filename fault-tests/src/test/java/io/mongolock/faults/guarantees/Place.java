package io.mongolock.faults.guarantees;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where rows are shown, the closest to production first.
 */
enum Place {

	SET("a real set of three"), SERVER("one real server"), EMBEDDED("an embedded server"), NONE("no server");

	/** Of the matrix of the last full run: row, server, result. */
	private static final Pattern LINE = Pattern.compile("^\\| (\\d+) \\|.*\\| ([^|]*) \\| shown \\|$",
			Pattern.MULTILINE);

	private final String text;

	Place(String text) {
		this.text = text;
	}

	// The closest of each row that was shown
	static Map<Integer, Place> ofRows() throws IOException {
		return LINE.matcher(Files.readString(Path.of("fault-matrix.md")))
			.results()
			.collect(Collectors.toMap((line) -> Integer.valueOf(line.group(1)), (line) -> of(line.group(2)),
					(one, other) -> (one.compareTo(other) < 0) ? one : other, TreeMap::new));
	}

	private static Place of(String server) {
		if (server.startsWith("mongod ")) {
			return (server.contains("3 members")) ? SET : SERVER;
		}
		return (server.contains("embedded")) ? EMBEDDED : NONE;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
