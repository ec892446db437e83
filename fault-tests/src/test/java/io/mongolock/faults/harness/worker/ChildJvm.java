package io.mongolock.faults.harness.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

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

	private final Deque<String> lines = new ArrayDeque<>();

	private final String mainClass;

	private final Process process;

	private final CompletableFuture<Void> ended;

	// Its output is kept
	public ChildJvm(String classPath, String mainClass, List<String> jvmOptions, List<String> args) {
		this.mainClass = mainClass;
		this.process = start(classPath, mainClass, jvmOptions, args);
		this.ended = follow(this::keep);
	}

	// On the class path of this JVM; its standard output is read on a thread of its own,
	// only that of errors is kept
	ChildJvm(Class<?> mainClass, List<String> jvmOptions, Consumer<InputStream> reader) {
		this.mainClass = mainClass.getName();
		this.process = start(System.getProperty("java.class.path"), this.mainClass, jvmOptions, List.of());
		this.ended = follow(reader);
	}

	private static Process start(String classPath, String mainClass, List<String> jvmOptions, List<String> args) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(SHORT_LIVED);
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", classPath, mainClass));
		command.addAll(args);
		try {
			Process process = new ProcessBuilder(command).start();
			Thread hook = new Thread(process::destroyForcibly, "kill-child-" + process.pid());
			Runtime.getRuntime().addShutdownHook(hook);
			process.onExit().thenRun(() -> Runtime.getRuntime().removeShutdownHook(hook));
			return process;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No JVM can be started for " + mainClass, ex);
		}
	}

	private CompletableFuture<Void> follow(Consumer<InputStream> reader) {
		return CompletableFuture.allOf(read(this.process.getErrorStream(), this::keep),
				read(this.process.getInputStream(), reader), this.process.onExit());
	}

	private static CompletableFuture<Void> read(InputStream in, Consumer<InputStream> reader) {
		CompletableFuture<Void> end = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				reader.accept(in);
			}
			finally {
				end.complete(null);
			}
		}, "child-output");
		thread.setDaemon(true);
		thread.start();
		return end;
	}

	private void keep(InputStream in) {
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
			reader.lines().forEach(this::keep);
		}
		catch (IOException | UncheckedIOException ex) {
			keep("(output ends: " + ex.getMessage() + ")");
		}
	}

	private void keep(String line) {
		synchronized (this.lines) {
			if (this.lines.size() == MAX_LINES) {
				this.lines.removeFirst();
			}
			this.lines.addLast(line);
		}
	}

	// The last lines that it printed
	public String output() {
		synchronized (this.lines) {
			return String.join(System.lineSeparator(), this.lines);
		}
	}

	public long pid() {
		return this.process.pid();
	}

	OutputStream input() {
		return this.process.getOutputStream();
	}

	// Whether it lives, suspended or not
	public boolean isAlive() {
		return this.process.isAlive();
	}

	// Completes once the process has ended and all it printed is known
	public CompletableFuture<Void> ended() {
		return this.ended;
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

	private static boolean isStopped(Path tasks) {
		try (Stream<Path> threads = Files.list(tasks)) {
			return threads.allMatch(ChildJvm::isThreadStopped);
		}
		catch (IOException | UncheckedIOException ex) {
			// one of them has just ended
			return false;
		}
	}

	private static boolean isThreadStopped(Path thread) {
		try {
			String stat = Files.readString(thread.resolve("stat"));
			// the state follows the name, which is in parentheses and may hold anything
			return "Tt".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
