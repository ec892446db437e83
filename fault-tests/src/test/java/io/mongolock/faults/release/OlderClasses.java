package io.mongolock.faults.release;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The compiled clone of an older commit.
 *
 * @param root its folder
 */
record OlderClasses(Path root) {

	private static final Path TESTS = Path.of("").toAbsolutePath();

	private static final Path NEWER = TESTS.getParent();

	static Optional<OlderClasses> given() {
		return Optional.ofNullable(System.getProperty("mongo-lock.older")).map(Path::of).map(OlderClasses::new);
	}

	/**
	 * This JVM's class path, with the product of the clone in place of this one. The
	 * worker itself, which asks for the locks, is the one of these tests.
	 */
	String classPath() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of)
			.map((entry) -> (entry.startsWith(NEWER) && !entry.startsWith(TESTS)) ? older(NEWER.relativize(entry))
					: entry)
			.filter(Files::exists)
			.map(Path::toString)
			.collect(Collectors.joining(File.pathSeparator));
	}

	// Modules are on the class path as folders or, once they are packaged, as jars
	private Path older(Path entry) {
		String name = entry.getFileName().toString();
		boolean ofTests = name.equals("test-classes") || name.endsWith("-tests.jar");
		return this.root.resolve(entry.getName(0)).resolve("target").resolve((ofTests) ? "test-classes" : "classes");
	}

}
