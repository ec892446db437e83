package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;

/**
 * A JVM as a process of its own, which ends with this one. The only place that starts
 * one. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private static final int MAX_LINES = 500;

	/** For JVMs that end before it pays to optimise. */
	private static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

	private final String mainClass;

	private final Path output;

	private final Process process;

	// What it prints is kept
	public ChildJvm(String classPath, String mainClass, List<String> jvmOptions, List<String> args) {
		this(false, classPath, mainClass, jvmOptions, args, Map.of());
	}

	// Of what it prints only errors are kept
	ChildJvm(String classPath, Class<?> mainClass, List<String> jvmOptions, Map<String, String> environment) {
		this(true, classPath, mainClass.getName(), jvmOptions, List.of(), environment);
	}

	private ChildJvm(boolean answers, String classPath, String mainClass, List<String> jvmOptions, List<String> args,
			Map<String, String> environment) {
		this.mainClass = mainClass;
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(SHORT_LIVED);
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", classPath, mainClass));
		command.addAll(args);
		try {
			this.output = Files.createTempFile("child-jvm", ".txt");
			this.output.toFile().deleteOnExit();
			Redirect kept = Redirect.appendTo(this.output.toFile());
			ProcessBuilder jvm = new ProcessBuilder(command).redirectError(kept)
				.redirectOutput((answers) ? Redirect.PIPE : kept);
			jvm.environment().putAll(environment);
			this.process = jvm.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No JVM can be started for " + mainClass, ex);
		}
		Thread hook = new Thread(this.process::destroyForcibly, "kill-child-" + pid());
		Runtime.getRuntime().addShutdownHook(hook);
		this.process.onExit().thenRun(() -> Runtime.getRuntime().removeShutdownHook(hook));
	}

	// The last lines that it printed
	public String output() {
		try {
			List<String> lines = new String(Files.readAllBytes(this.output), StandardCharsets.UTF_8).lines().toList();
			return String.join(System.lineSeparator(),
					lines.subList(Math.max(0, lines.size() - MAX_LINES), lines.size()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public long pid() {
		return this.process.pid();
	}

	OutputStream input() {
		return this.process.getOutputStream();
	}

	InputStream answers() {
		return this.process.getInputStream();
	}

	// Whether it lives, suspended or not
	public boolean isAlive() {
		return this.process.isAlive();
	}

	String describe() {
		return this.mainClass + " (process " + pid() + ", "
				+ ((isAlive()) ? "running" : "ended with " + this.process.exitValue()) + "), output:"
				+ System.lineSeparator() + output();
	}

	// SIGSTOP; when this returns, all its threads stand still
	public void suspend() {
		signal("STOP");
		// a signal is only on its way when it is sent
		Path tasks = Path.of("/proc", String.valueOf(pid()), "task");
		Awaitility.await("stop of process " + pid())
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.atMost(LONG_ENOUGH)
			// One of its threads has just ended
			.ignoreExceptionsInstanceOf(IOException.class)
			.until(() -> !Files.isDirectory(tasks) || isStopped(tasks));
	}

	public void resume() {
		signal("CONT");
	}

	public void terminate() {
		signal("TERM");
	}

	// SIGKILL, suspended or not; when this returns, it is gone
	public void kill() {
		this.process.destroyForcibly();
		awaitExit(LONG_ENOUGH);
	}

	// The exit status; 128 and the signal if one ended it
	public int awaitExit(Duration atMost) {
		if (!waitFor(this.process, atMost)) {
			throw new IllegalStateException("Not ended within " + atMost.toMillis() + "ms: " + describe());
		}
		return this.process.exitValue();
	}

	@Override
	public void close() {
		kill();
	}

	private void signal(String name) {
		try {
			Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).start();
			if (!waitFor(kill, LONG_ENOUGH) || kill.exitValue() != 0) {
				throw new IllegalStateException("No signal " + name + " to " + describe());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("This machine has no command 'kill'", ex);
		}
	}

	private static boolean waitFor(Process process, Duration atMost) {
		try {
			return process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for process " + process.pid(), ex);
		}
	}

	private static boolean isStopped(Path tasks) throws IOException {
		try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
			for (Path thread : threads) {
				String stat = Files.readString(thread.resolve("stat"));
				// The state follows the name, which is in parentheses and may hold
				// anything
				if ("Tt".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0) {
					return false;
				}
			}
			return true;
		}
	}

}
