package io.mongolock.faults.drills;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import org.springframework.util.FileSystemUtils;

import io.mongolock.faults.harness.FakeTime;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Libraries that servers are started with, by which their disks get slow and their clocks
 * are set while they run. Immutable but for its files.
 */
record Preloads(Path folder, Map<String, String> variables) implements AutoCloseable {

	private static final String DELAY = "delay";

	private static final String OFFSET = "offset";

	// What a drill does not need may be missing on this machine
	static Preloads of(Drill drill) throws IOException, InterruptedException {
		Path folder = Files.createTempDirectory("preloads-");
		Preloads preloads = new Preloads(folder, switch (drill) {
			case SLOW_DISK ->
				Map.of("LD_PRELOAD", compile(folder).toString(), "SLOW_DISK", folder.resolve(DELAY).toString());
			case CLOCK_STEPS -> FakeTime.ofThisMachine().offAsSaidIn(folder.resolve(OFFSET));
			default -> Map.of();
		});
		preloads.heal();
		return preloads;
	}

	private static Path compile(Path folder) throws IOException, InterruptedException {
		Path source = folder.resolve("slow-disk.c");
		Path library = folder.resolve("slow-disk.so");
		try (InputStream code = Preloads.class.getResourceAsStream("/drills/slow-disk.c")) {
			Files.copy(Objects.requireNonNull(code), source);
		}
		Process compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(),
				"-ldl")
			.inheritIO()
			.start();
		assertThat(compiler.waitFor()).as("cc").isZero();
		return library;
	}

	void slowDisks(Duration delay) {
		write(DELAY, Long.toString(delay.toMillis()));
	}

	void stepClocks(Duration offset) {
		write(OFFSET, FakeTime.spelled(offset));
	}

	void heal() {
		slowDisks(Duration.ZERO);
		stepClocks(Duration.ZERO);
	}

	// A server never reads half of it
	private void write(String name, String text) {
		try {
			Path next = Files.writeString(this.folder.resolve("next"), text + "\n");
			Files.move(next, this.folder.resolve(name), StandardCopyOption.REPLACE_EXISTING,
					StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		FileSystemUtils.deleteRecursively(this.folder);
	}

}
