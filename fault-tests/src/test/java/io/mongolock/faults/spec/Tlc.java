package io.mongolock.faults.spec;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.mongolock.faults.harness.worker.ChildJvm;

/**
 * The checker of TLA+, in a JVM of its own, on a copy of the specification.
 */
record Tlc(Path directory) {

	private static final Path SPECIFICATION = Path.of("spec");

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(20);

	static String text(String file) throws IOException {
		return Files.readString(SPECIFICATION.resolve(file));
	}

	// All states, as a configuration bounds them; one worker finds the same first each
	// time
	String check(String module, String configuration, int workers) throws IOException {
		return run(module, configuration, List.of("-workers", "" + workers));
	}

	// Random walks, of which each is written to a file
	List<Path> walk(String name, String configuration, int walks, int depth, long seed) throws IOException {
		Path files = Files.createDirectory(this.directory.resolve(name));
		String output = run(text("Lock.tla"), configuration, List.of("-simulate",
				"file=" + files.resolve(name) + ",num=" + walks, "-depth", "" + depth, "-seed", "" + seed));
		try (var written = Files.list(files)) {
			List<Path> all = written.sorted().toList();
			if (all.size() != walks) {
				throw new IllegalStateException(
						all.size() + " walks of " + walks + " with seed " + seed + ": " + output);
			}
			return all;
		}
	}

	private String run(String module, String configuration, List<String> options) throws IOException {
		Files.writeString(this.directory.resolve("Lock.tla"), module);
		Files.writeString(this.directory.resolve("Lock.cfg"), configuration);
		List<String> args = new ArrayList<>(options);
		args.addAll(List.of("-cleanup", "-metadir", this.directory.resolve("states").toString(),
				this.directory.resolve("Lock.tla").toString()));
		try (ChildJvm tlc = new ChildJvm(jar().toString(), "tlc2.TLC",
				List.of("-XX:TieredStopAtLevel=4", "-XX:-UseSerialGC", "-XX:+UseParallelGC", "-Xmx3g",
						// It unpacks modules there, which another one may read at this
						// moment
						"-Djava.io.tmpdir=" + this.directory),
				args)) {
			tlc.awaitExit(LONG_ENOUGH);
			return tlc.output();
		}
	}

	private static Path jar() {
		try {
			Class<?> main = Class.forName("tlc2.TLC", false, Tlc.class.getClassLoader());
			return Path.of(main.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (ClassNotFoundException | URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
