package io.mongolock.faults.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.opentest4j.TestAbortedException;

/**
 * The library libfaketime, by which a process has a wrong clock: the one that dates are
 * read from, not the one that time is measured by. The build for several threads: with
 * the other one a server that reads its clock while the file of the offset is read by
 * another thread jumps back and forth, and ends requests as late. Immutable.
 */
public record FakeTime(Path library) {

	// Aborts the test where there is none
	public static FakeTime ofThisMachine() {
		return Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
			.map((directory) -> Path.of(directory, "faketime", "libfaketimeMT.so.1"))
			.filter(Files::exists)
			.findFirst()
			.map(FakeTime::new)
			.orElseThrow(() -> new TestAbortedException("needs libfaketime: install the package faketime"));
	}

	// Off by so much from the start on
	Map<String, String> offBy(Duration offset) {
		return variables("FAKETIME", spelled(offset));
	}

	// The same for a JVM, whose threads would wait for no time at all with what the
	// library does for other programs that wait by the clock that time is measured by
	public Map<String, String> ofJvmOffBy(Duration offset) {
		Map<String, String> variables = new HashMap<>(offBy(offset));
		variables.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
		return variables;
	}

	// Off by what the file says at any time
	Map<String, String> offAsSaidIn(Path file) {
		Map<String, String> variables = new HashMap<>(variables("FAKETIME_TIMESTAMP_FILE", file.toString()));
		variables.put("FAKETIME_NO_CACHE", "1");
		return variables;
	}

	static String spelled(Duration offset) {
		return String.format(Locale.ROOT, "%+.3f", offset.toMillis() / 1000.0);
	}

	private Map<String, String> variables(String name, String value) {
		return Map.of("LD_PRELOAD", this.library.toString(), name, value, "DONT_FAKE_MONOTONIC", "1",
				"FAKETIME_DONT_FAKE_MONOTONIC", "1");
	}

}
