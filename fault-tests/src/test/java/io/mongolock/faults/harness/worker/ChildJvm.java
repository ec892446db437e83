package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A JVM as a process of its own. The only place that starts one. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final String mainClass;

	private final Process process;

	private final Output output = new Output();

	private final CompletableFuture<Void> ended;

	/**
	 * Start one on the class path of this JVM.
	 * @param mainClass the class to run
	 * @param jvmOptions options of the JVM, such as {@code -Xmx64m}
	 * @param args arguments of the class
	 * @param taken is asked about each line of standard output, and keeps those it takes
	 * @throws UncheckedIOException if no process can be started
	 */
	ChildJvm(String mainClass, List<String> jvmOptions, List<String> args, Predicate<String> taken) {
		this(System.getProperty("java.class.path"), mainClass, jvmOptions, args, taken);
	}

	/**
	 * Start one on another class path than that of this JVM.
	 * @param classPath the class path
	 * @param mainClass the class to run
	 * @param jvmOptions options of the JVM, such as {@code -Xmx64m}
	 * @param args arguments of the class
	 */
	public ChildJvm(String classPath, String mainClass, List<String> jvmOptions, List<String> args) {
		this(classPath, mainClass, jvmOptions, args, (line) -> false);
	}

	private ChildJvm(String classPath, String mainClass, List<String> jvmOptions, List<String> args,
			Predicate<String> taken) {
		this.mainClass = mainClass;
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", classPath, mainClass));
		command.addAll(args);
		try {
			this.process = new ProcessBuilder(command).start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No JVM can be started for " + mainClass, ex);
		}
		String name = "child-" + pid();
		CompletableFuture<Void> errEnded = this.output.follow(this.process.getErrorStream(), name + "-err",
				(line) -> false);
		CompletableFuture<Void> outEnded = this.output.follow(this.process.getInputStream(), name + "-out", taken);
		this.ended = CompletableFuture.allOf(errEnded, outEnded, this.process.onExit());
		endWithThisJvm();
	}

	private void endWithThisJvm() {
		Thread hook = new Thread(this.process::destroyForcibly, "kill-child-" + pid());
		Runtime.getRuntime().addShutdownHook(hook);
		this.process.onExit().thenRun(() -> Runtime.getRuntime().removeShutdownHook(hook));
	}

	long pid() {
		return this.process.pid();
	}

	OutputStream input() {
		return this.process.getOutputStream();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Completes once the process has ended and all it printed is known.
	 * @return a future
	 */
	public CompletableFuture<Void> ended() {
		return this.ended;
	}

	/**
	 * What is known about the process, for messages.
	 * @return class, process id, state and output
	 */
	String describe() {
		return this.mainClass + " (process " + pid() + ", "
				+ ((isAlive()) ? "running" : "ended with " + this.process.exitValue()) + "), output:"
				+ System.lineSeparator() + this.output.text();
	}

	public String output() {
		return this.output.text();
	}

	void suspend() {
		Signal.STOP.send(pid());
		ProcessState.awaitStopped(pid());
	}

	void resume() {
		Signal.CONT.send(pid());
	}

	void terminate() {
		Signal.TERM.send(pid());
	}

	/**
	 * Kill it and wait until it is gone; no effect if it has ended.
	 */
	void kill() {
		this.process.destroyForcibly();
		awaitExit(LONG_ENOUGH);
	}

	/**
	 * Wait for its end.
	 * @param atMost how long
	 * @return the exit status
	 * @throws IllegalStateException if it goes on
	 */
	public int awaitExit(Duration atMost) {
		try {
			if (!this.process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new IllegalStateException("Not ended within " + atMost.toMillis() + "ms: " + describe());
			}
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for the end of " + describe(), ex);
		}
	}

	@Override
	public void close() {
		kill();
	}

}
