package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.mongolock.faults.harness.worker.Protocol.Kind;

/**
 * A worker in a JVM of its own that runs a {@link WorkerLoop}. It ends with this JVM, as
 * its input then does. Thread-safe.
 */
public final class WorkerJvm implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final ChildJvm jvm;

	private final CompletableFuture<String> ready = new CompletableFuture<>();

	private final Map<Long, CompletableFuture<String>> pending = new ConcurrentHashMap<>();

	private final AtomicLong lastId = new AtomicLong();

	private WorkerJvm(String mainClass, List<String> jvmOptions, List<String> args) {
		this.jvm = new ChildJvm(mainClass, jvmOptions, args, this::take);
		this.jvm.ended().thenRun(this::failAll);
	}

	/**
	 * Start a worker on the class path of this JVM.
	 * @param main a class whose main method runs a {@link WorkerLoop}
	 * @param args its arguments
	 * @return the worker, not yet ready
	 */
	public static WorkerJvm start(Class<?> main, String... args) {
		return start(main, List.of(), args);
	}

	/**
	 * Start a worker on the class path of this JVM.
	 * @param main a class whose main method runs a {@link WorkerLoop}
	 * @param jvmOptions options of its JVM, such as {@code -Xmx64m}
	 * @param args its arguments
	 * @return the worker, not yet ready
	 */
	public static WorkerJvm start(Class<?> main, List<String> jvmOptions, String... args) {
		return new WorkerJvm(main.getName(), jvmOptions, List.of(args));
	}

	/**
	 * Wait until it takes requests, up to two minutes.
	 * @return this worker
	 * @throws WorkerFailedException if it ends instead
	 * @throws IllegalStateException if it takes longer
	 */
	public WorkerJvm awaitReady() {
		await(this.ready, LONG_ENOUGH, "ready");
		return this;
	}

	/**
	 * Ask and wait for the answer, up to two minutes.
	 * @param command what to do
	 * @param args its arguments
	 * @return the answer
	 * @throws WorkerFailedException if it cannot do it
	 * @throws IllegalStateException if it takes longer
	 */
	public String ask(String command, String... args) {
		return ask(LONG_ENOUGH, command, args);
	}

	/**
	 * Ask and wait for the answer.
	 * @param atMost how long
	 * @param command what to do
	 * @param args its arguments
	 * @return the answer
	 * @throws WorkerFailedException if it cannot do it
	 * @throws IllegalStateException if it takes longer
	 */
	public String ask(Duration atMost, String command, String... args) {
		return await(send(command, args), atMost, "answer to '" + command + "'");
	}

	/**
	 * Ask.
	 * @param command what to do
	 * @param args its arguments
	 * @return completes with the answer, or a {@link WorkerFailedException}
	 */
	public CompletableFuture<String> send(String command, String... args) {
		long id = this.lastId.incrementAndGet();
		CompletableFuture<String> answer = new CompletableFuture<>();
		this.pending.put(id, answer);
		List<String> fields = new ArrayList<>(List.of(command));
		fields.addAll(List.of(args));
		try {
			write(new Protocol(Kind.ASK, id, fields).line() + "\n");
		}
		catch (IOException ex) {
			failAll();
		}
		if (this.jvm.ended().isDone()) {
			failAll();
		}
		return answer;
	}

	/**
	 * Its process id, by which histories name it.
	 * @return the process id
	 */
	public long pid() {
		return this.jvm.pid();
	}

	/**
	 * Whether its process lives, suspended or not.
	 * @return whether it lives
	 */
	public boolean isAlive() {
		return this.jvm.isAlive();
	}

	/**
	 * What it printed, errors included.
	 * @return the last lines
	 */
	public String output() {
		return this.jvm.output();
	}

	/**
	 * Suspend it (SIGSTOP); when this returns, all its threads stand still.
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

	/**
	 * Kill it (SIGKILL), suspended or not; when this returns, it is gone.
	 */
	public void kill() {
		this.jvm.kill();
	}

	/**
	 * Ask it to end (SIGTERM).
	 */
	public void terminate() {
		this.jvm.terminate();
	}

	/**
	 * Wait for its end.
	 * @param atMost how long
	 * @return the exit status; 128 and the signal if one ended it
	 * @throws IllegalStateException if it goes on
	 */
	public int awaitExit(Duration atMost) {
		return this.jvm.awaitExit(atMost);
	}

	/**
	 * Kill it, if it lives.
	 */
	@Override
	public void close() {
		this.jvm.close();
	}

	private synchronized void write(String line) throws IOException {
		this.jvm.input().write(line.getBytes(StandardCharsets.UTF_8));
		this.jvm.input().flush();
	}

	private boolean take(String line) {
		Optional<Protocol> message = Protocol.parse(line);
		message.ifPresent(this::take);
		return message.isPresent();
	}

	private void take(Protocol message) {
		if (message.kind() == Kind.READY) {
			this.ready.complete("");
			return;
		}
		CompletableFuture<String> answer = this.pending.remove(message.id());
		if (answer != null && message.kind() == Kind.ANSWER) {
			answer.complete(message.fields().get(0));
		}
		else if (answer != null) {
			answer.completeExceptionally(new WorkerFailedException(message.fields().get(0), message.fields().get(1)));
		}
	}

	private void failAll() {
		WorkerFailedException failure = new WorkerFailedException("", "The worker has ended: " + this.jvm.describe());
		this.ready.completeExceptionally(failure);
		this.pending.values().forEach((answer) -> answer.completeExceptionally(failure));
		this.pending.clear();
	}

	private String await(CompletableFuture<String> answer, Duration atMost, String what) {
		try {
			return answer.copy().orTimeout(atMost.toNanos(), TimeUnit.NANOSECONDS).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof WorkerFailedException failure) {
				throw failure;
			}
			throw new IllegalStateException(
					"No " + what + " within " + atMost.toMillis() + "ms from " + this.jvm.describe(), ex);
		}
	}

}
