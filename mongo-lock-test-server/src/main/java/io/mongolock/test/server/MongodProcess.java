package io.mongolock.test.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * A {@code mongod} as a process that cannot outlive this JVM. A shell is its parent, and
 * a watcher beside it reads a pipe from this JVM. When the JVM ends, in any way, the
 * server is killed and its data deleted. Thread-safe.
 */
final class MongodProcess {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	/** Limited, because a frozen server does not answer. */
	private static final Duration ANSWER = Duration.ofSeconds(2);

	/** The exit status of a server that cannot listen on its port. */
	private static final int PORT_TAKEN = 48;

	// Nothing is ever written to the pipe: the read ends when its other end is closed.
	// The watcher leaves a note, because the shell alone knows when the server has ended.
	// Signals of a terminal or a build to all its processes end this JVM, not the shell.
	private static final String SCRIPT = """
			trap '' HUP INT TERM
			exec 3<&0
			data=$1 log=$2; shift 2
			"$@" 3<&- </dev/null >>"$log" 2>&1 &
			server=$!
			{ read -r nothing <&3; : >"$data/abandoned"; kill -KILL $server; } >/dev/null 2>&1 &
			watcher=$!
			echo $server
			exec 3<&- >&-
			wait $server; status=$?
			[ -e "$data/abandoned" ] && rm -rf "$data" || kill -KILL $watcher
			exit $status
			""";

	private final Process shell;

	private final long pid;

	private final String host;

	private final int port;

	private final Path log;

	/** The length of the log that earlier servers wrote. */
	private final long logStart;

	private volatile boolean frozen;

	private MongodProcess(Process shell, long pid, String host, int port, Path log, long logStart) {
		this.shell = shell;
		this.pid = pid;
		this.host = host;
		this.port = port;
		this.log = log;
		this.logStart = logStart;
	}

	/**
	 * Start a server, which does not answer yet.
	 * @param command the executable and its arguments, without host and port
	 * @param environment variables of this server
	 * @param host the address to listen on
	 * @param port the port to listen on
	 * @param data the folder of its data
	 * @param log the file to which its output is appended
	 * @return the server
	 */
	static MongodProcess start(List<String> command, Map<String, String> environment, String host, int port, Path data,
			Path log) {
		List<String> all = new ArrayList<>(
				List.of("/bin/sh", "-c", SCRIPT, "mongod-watcher", data.toString(), log.toString(), "/usr/bin/env"));
		// Not for the shell, whose clock must stay right
		environment.forEach((name, value) -> all.add(name + "=" + value));
		all.addAll(command);
		all.addAll(List.of("--bind_ip", host, "--port", String.valueOf(port), "--dbpath", data.toString()));
		try {
			Files.createDirectories(data);
			long logStart = Files.exists(log) ? Files.size(log) : 0;
			Process shell = new ProcessBuilder(all).redirectError(Redirect.appendTo(log.toFile())).start();
			BufferedReader output = shell.inputReader();
			String pid = output.readLine();
			if (pid == null) {
				throw new IllegalStateException("No shell started " + command + ": see " + log);
			}
			return new MongodProcess(shell, Long.parseLong(pid), host, port, log, logStart);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No server can be started as " + command, ex);
		}
	}

	// Whether it listens; false if its port was taken, even by a server that answers
	boolean awaitAnswer() {
		Waiting.until("answer of the server with the log " + this.log, LONG_ENOUGH,
				() -> !isRunning() || (isListening() && answers()));
		if (isRunning()) {
			return true;
		}
		if (this.shell.exitValue() == PORT_TAKEN) {
			return false;
		}
		throw new IllegalStateException(
				"The server ended with status " + this.shell.exitValue() + " as it started: " + lastLines(this.log));
	}

	private boolean isListening() {
		try (InputStream output = Files.newInputStream(this.log)) {
			output.skipNBytes(this.logStart);
			return new String(output.readAllBytes(), StandardCharsets.UTF_8).contains("Waiting for connections");
		}
		catch (IOException ex) {
			// It has not begun yet
			return false;
		}
	}

	private boolean answers() {
		try {
			hello();
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	// Under the name that every release knows
	BsonDocument hello() throws IOException {
		return WireClient.run(this.host, this.port, ANSWER, new BsonDocument("isMaster", new BsonInt32(1)));
	}

	BsonDocument run(BsonDocument command) throws IOException {
		return WireClient.run(this.host, this.port, LONG_ENOUGH, command);
	}

	long pid() {
		return this.pid;
	}

	boolean isRunning() {
		return this.shell.isAlive();
	}

	void kill() {
		if (isRunning()) {
			signal("KILL");
		}
		if (!waitFor(this.shell)) {
			throw new IllegalStateException("Server process " + this.pid + " does not end");
		}
	}

	// When this returns, all its threads stand still
	void freeze() {
		this.frozen = true;
		signal("STOP");
		Path tasks = Path.of("/proc", String.valueOf(this.pid), "task");
		Waiting.until("stop of process " + this.pid, LONG_ENOUGH, () -> !Files.isDirectory(tasks) || isStopped(tasks));
	}

	void thaw() {
		signal("CONT");
		this.frozen = false;
	}

	boolean isFrozen() {
		return this.frozen;
	}

	private void signal(String name) {
		try {
			Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(this.pid)).start();
			// A process that has just ended by itself needs no signal
			if ((!waitFor(kill) || kill.exitValue() != 0) && isRunning()) {
				throw new IllegalStateException("No signal " + name + " to server process " + this.pid);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("This machine has no command 'kill'", ex);
		}
	}

	private static boolean waitFor(Process process) {
		try {
			return process.waitFor(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for process " + process.pid(), ex);
		}
	}

	private static boolean isStopped(Path tasks) {
		try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
			for (Path thread : threads) {
				String stat = Files.readString(thread.resolve("stat"));
				// The state follows the name, which is in parentheses
				if ("Tt".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0) {
					return false;
				}
			}
			return true;
		}
		catch (IOException | DirectoryIteratorException ex) {
			// One of its threads has just ended
			return false;
		}
	}

	private static String lastLines(Path log) {
		try (Stream<String> lines = Files.lines(log)) {
			List<String> all = lines.toList();
			return String.join(System.lineSeparator(), all.subList(Math.max(0, all.size() - 20), all.size()));
		}
		catch (IOException ex) {
			return "no log at " + log;
		}
	}

}
