package io.mongolock.test.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Deletes folders.
 */
final class Folders {

	private Folders() {
	}

	static void delete(Path folder, Predicate<Path> kept) {
		try (Stream<Path> files = Files.walk(folder)) {
			List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
			for (Path file : deepestFirst) {
				if (!kept.test(file)) {
					deleteUnlessFull(file);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(folder + " cannot be deleted", ex);
		}
	}

	private static void deleteUnlessFull(Path file) throws IOException {
		try {
			Files.deleteIfExists(file);
		}
		catch (DirectoryNotEmptyException ex) {
			// A folder with a file that is kept
		}
	}

}
