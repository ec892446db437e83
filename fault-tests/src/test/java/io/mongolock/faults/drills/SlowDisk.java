package io.mongolock.faults.drills;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A library that servers are started with, by which they flush as late as a file says
 * while they run. Immutable but for its files.
 */
record SlowDisk(Path folder, Map<String, String> variables) implements AutoCloseable {

	// Other drills need no compiler
	static SlowDisk of(Drill drill) throws IOException, InterruptedException {
		Path folder = Files.createTempDirectory("slow-disk-");
		return (drill == Drill.SLOW_DISK)
				? new SlowDisk(folder,
						Map.of("LD_PRELOAD", compile(folder).toString(), "SLOW_DISK", delay(folder).toString()))
				: new SlowDisk(folder, Map.of());
	}

	private static Path compile(Path folder) throws IOException, InterruptedException {
		Path source = folder.resolve("slow-disk.c");
		Path library = folder.resolve("slow-disk.so");
		try (InputStream code = SlowDisk.class.getResourceAsStream("/drills/slow-disk.c")) {
			Files.copy(Objects.requireNonNull(code), source);
		}
		Process compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(),
				"-ldl")
			.inheritIO()
			.start();
		assertThat(compiler.waitFor()).as("cc").isZero();
		return library;
	}

	private static Path delay(Path folder) {
		return folder.resolve("delay");
	}

	void delay(Duration delay) throws IOException {
		// A server never reads half of it
		Path next = Files.writeString(this.folder.resolve("next"), delay.toMillis() + "\n");
		Files.move(next, delay(this.folder), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
	}

	@Override
	public void close() throws IOException {
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
