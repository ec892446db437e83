package io.mongolock.sample.orders;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM of its own on the class path of the tests.
 */
final class TestJvm implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final Process process;

	private final List<String> output = new CopyOnWriteArrayList<>();

	private final Thread reader = new Thread(this::read, "output");

	private TestJvm(Process process) {
		this.process = process;
		this.reader.setDaemon(true);
		this.reader.start();
	}

	static TestJvm start(Class<?> mainClass, String... args) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
		command.add(mainClass.getName());
		command.addAll(List.of(args));
		try {
			return new TestJvm(new ProcessBuilder(command).redirectErrorStream(true).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for a line of its output.
	 * @param line what to find in it, with one group
	 * @return what the group matched
	 */
	String awaitLine(Pattern line) {
		Matcher[] found = new Matcher[1];
		await().atMost(LONG_ENOUGH).until(() -> {
			assertThat(this.process.isAlive()).as(() -> "alive: " + output()).isTrue();
			found[0] = this.output.stream().map(line::matcher).filter(Matcher::find).findFirst().orElse(null);
			return found[0] != null;
		});
		return found[0].group(1);
	}

	String output() {
		return String.join(System.lineSeparator(), this.output);
	}

	/**
	 * SIGKILL.
	 */
	void kill() {
		this.process.destroyForcibly();
		exit();
	}

	/**
	 * SIGTERM.
	 */
	void terminate() {
		this.process.destroy();
	}

	/**
	 * Wait until it has ended and all its output is known.
	 * @return the exit status
	 */
	int exit() {
		try {
			assertThat(this.process.waitFor(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).as("ended").isTrue();
			this.reader.join(LONG_ENOUGH.toMillis());
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		kill();
	}

	private void read() {
		try (BufferedReader lines = this.process.inputReader()) {
			lines.lines().forEach(this.output::add);
		}
		catch (IOException | UncheckedIOException ex) {
			// killed: nothing more to read
		}
	}

}
