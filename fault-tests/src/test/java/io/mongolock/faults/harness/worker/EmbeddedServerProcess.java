package io.mongolock.faults.harness.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.mongolock.test.embedded.EmbeddedMongoMain;

/**
 * The embedded server as a process of its own, on the loopback address. Killed, it
 * forgets all data. Not thread-safe.
 */
public final class EmbeddedServerProcess implements AutoCloseable {

	private static final Pattern READY = Pattern.compile("mongodb://([^:]+):(\\d+)");

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final List<String> args;

	private ChildJvm jvm;

	private final int port;

	private EmbeddedServerProcess(List<String> args) {
		this.args = args;
		CompletableFuture<Integer> ready = new CompletableFuture<>();
		this.jvm = launch(0, ready);
		this.port = await(ready);
	}

	/**
	 * Start a server on a free port and wait until it listens.
	 * @param args more arguments, such as {@code --upsert-race=}
	 * @return the server, listening
	 * @throws IllegalStateException if it does not start
	 */
	public static EmbeddedServerProcess start(String... args) {
		return new EmbeddedServerProcess(List.of(args));
	}

	/**
	 * Where it listens.
	 * @return the port, the same after a restart
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Where it listens.
	 * @return the address
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * What clients are to be given.
	 * @return the connection string
	 */
	public String connectionString() {
		return "mongodb://" + host() + ":" + this.port;
	}

	/**
	 * Its process id.
	 * @return the process id of the one that runs, or ran last
	 */
	public long pid() {
		return this.jvm.pid();
	}

	/**
	 * Kill it (SIGKILL); when this returns, it is gone and so is its data.
	 */
	public void kill() {
		this.jvm.kill();
	}

	/**
	 * Start it again on the same port, empty, and wait until it listens; killed first if
	 * it runs.
	 * @throws IllegalStateException if it does not start
	 */
	public void restart() {
		kill();
		CompletableFuture<Integer> ready = new CompletableFuture<>();
		this.jvm = launch(this.port, ready);
		await(ready);
	}

	/**
	 * Suspend it (SIGSTOP): it accepts connections, as its kernel does, and answers none.
	 */
	public void suspend() {
		this.jvm.suspend();
	}

	/**
	 * Let it go on (SIGCONT).
	 */
	public void resume() {
		this.jvm.resume();
	}

	@Override
	public void close() {
		this.jvm.close();
	}

	private ChildJvm launch(int wanted, CompletableFuture<Integer> ready) {
		List<String> all = new ArrayList<>(this.args);
		all.add("--port=" + wanted);
		ChildJvm launched = new ChildJvm(EmbeddedMongoMain.class.getName(), List.of("-Xmx256m"), all, (line) -> {
			Matcher matcher = READY.matcher(line);
			return matcher.find() && ready.complete(Integer.valueOf(matcher.group(2)));
		});
		launched.ended().thenRun(() -> ready.completeExceptionally(new IllegalStateException("Ended")));
		return launched;
	}

	private int await(CompletableFuture<Integer> ready) {
		try {
			return ready.copy().orTimeout(LONG_ENOUGH.toNanos(), TimeUnit.NANOSECONDS).join();
		}
		catch (CompletionException ex) {
			String state = this.jvm.describe();
			this.jvm.close();
			throw new IllegalStateException("The embedded server is not ready: " + state, ex);
		}
	}

}
