package io.mongolock.test.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A {@code mongod} that can be started on this machine. Immutable.
 *
 * @param path the executable
 * @param version its release, like {@code 6.0.27}
 */
public record MongodBinary(Path path, String version) {

	/**
	 * Names the executable, as environment variable or system property.
	 */
	public static final String NAME = "MONGO_LOCK_TEST_MONGOD";

	private static final String OLDEST = "4.4";

	private static final Pattern VERSION = Pattern.compile("db version v((\\d+)\\.(\\d+)\\S*)");

	/**
	 * Find the executable that {@value #NAME} names, otherwise the first one on the
	 * {@code PATH} that is not too old.
	 * @return the executable, or empty if there is none
	 * @throws IllegalStateException if the named executable cannot be used
	 */
	public static Optional<MongodBinary> find() {
		return Search.ofThisMachine().found();
	}

	boolean isTooOld() {
		Matcher version = VERSION.matcher("db version v" + this.version);
		if (!version.matches()) {
			return true;
		}
		int major = Integer.parseInt(version.group(2));
		return major < 4 || (major == 4 && Integer.parseInt(version.group(3)) < 4);
	}

	static Optional<MongodBinary> at(Path path) {
		if (!Files.isExecutable(path) || Files.isDirectory(path)) {
			return Optional.empty();
		}
		try {
			Process process = new ProcessBuilder(path.toString(), "--version").redirectErrorStream(true).start();
			process.getOutputStream().close();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			Matcher version = VERSION.matcher(output);
			return version.find() ? Optional.of(new MongodBinary(path.toAbsolutePath(), version.group(1)))
					: Optional.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(path + " does not start", ex);
		}
	}

	@Override
	public String toString() {
		return "mongod " + this.version + " (" + this.path + ")";
	}

	/**
	 * The result of the search for an executable.
	 *
	 * @param found the executable that can be started
	 * @param named whether {@value MongodBinary#NAME} names it
	 * @param passedOver the executables on the path that are too old
	 */
	record Search(Optional<MongodBinary> found, boolean named, List<MongodBinary> passedOver) {

		static Search ofThisMachine() {
			return of(System.getProperty(NAME, System.getenv(NAME)), System.getenv("PATH"));
		}

		static Search of(@Nullable String given, @Nullable String path) {
			if (given != null && !given.isBlank()) {
				return new Search(Optional.of(named(Path.of(given.strip()))), true, List.of());
			}
			List<MongodBinary> all = directories(path).flatMap((directory) -> at(directory.resolve("mongod")).stream())
				.toList();
			return new Search(all.stream().filter((binary) -> !binary.isTooOld()).findFirst(), false,
					all.stream().filter(MongodBinary::isTooOld).toList());
		}

		private static MongodBinary named(Path path) {
			MongodBinary binary = at(path).orElseThrow(() -> new IllegalStateException(
					NAME + " names " + path + ", which is no mongod that can be run: name the executable itself"));
			if (binary.isTooOld()) {
				throw new IllegalStateException(
						NAME + " names a " + binary + ", but the locks need " + OLDEST + " or later");
			}
			return binary;
		}

		private static Stream<Path> directories(@Nullable String path) {
			return Stream.ofNullable(path)
				.flatMap((all) -> Arrays.stream(all.split(File.pathSeparator)))
				.filter((directory) -> !directory.isBlank())
				.map(Path::of);
		}

		// The part of the line on the choice of a server that names the rejected
		// executables
		String remark() {
			return this.passedOver.isEmpty() ? "" : " (passed over, as older than " + OLDEST + ": "
					+ String.join(", ", this.passedOver.stream().map(MongodBinary::toString).toList()) + ")";
		}

	}

}
