package io.mongolock.faults.harness.worker;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.Daemon;

/**
 * An object in a JVM of its own, of which this one asks what it likes. Thread-safe.
 *
 * @param <T> the type of the object
 */
public class WorkerJvm<T> implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final Map<Long, CompletableFuture<@Nullable Object>> pending = new ConcurrentHashMap<>();

	private final AtomicLong lastId = new AtomicLong(WorkerLoop.READY);

	private final CompletableFuture<@Nullable Object> ready = new CompletableFuture<>();

	private final ChildJvm jvm;

	private final ObjectOutputStream out;

	private volatile boolean over;

	// On the class path of this JVM, and not yet ready
	public WorkerJvm(List<String> jvmOptions, SetUp<T> setUp) {
		this(System.getProperty("java.class.path"), jvmOptions, setUp);
	}

	// In an environment that has more than that of this JVM
	public WorkerJvm(Map<String, String> environment, List<String> jvmOptions, SetUp<T> setUp) {
		this(System.getProperty("java.class.path"), environment, jvmOptions, setUp);
	}

	WorkerJvm(String classPath, List<String> jvmOptions, SetUp<T> setUp) {
		this(classPath, Map.of(), jvmOptions, setUp);
	}

	private WorkerJvm(String classPath, Map<String, String> environment, List<String> jvmOptions, SetUp<T> setUp) {
		this.pending.put(WorkerLoop.READY, this.ready);
		this.jvm = new ChildJvm(classPath, WorkerLoop.class, jvmOptions, environment);
		Daemon.start("worker-answers", this::read);
		try {
			this.out = new ObjectOutputStream(this.jvm.input());
			write(setUp);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// Until it takes requests, up to two minutes
	public WorkerJvm<T> awaitReady() {
		await(this.ready, LONG_ENOUGH);
		return this;
	}

	public <R> R ask(Call<T, R> call) {
		return ask(LONG_ENOUGH, call);
	}

	<R> R ask(Duration atMost, Call<T, R> call) {
		return await(send(call), atMost);
	}

	@SuppressWarnings("unchecked")
	public <R> CompletableFuture<R> send(Call<T, R> call) {
		long id = this.lastId.incrementAndGet();
		CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
		this.pending.put(id, answer);
		try {
			write(new WorkerLoop.Request(id, call));
		}
		catch (IOException ex) {
			failAll();
		}
		if (this.over) {
			failAll();
		}
		return (CompletableFuture<R>) answer;
	}

	public ChildJvm process() {
		return this.jvm;
	}

	@Override
	public void close() {
		this.jvm.close();
	}

	private synchronized void write(Object object) throws IOException {
		this.out.writeObject(object);
		this.out.flush();
		this.out.reset();
	}

	private void read() {
		try (ObjectInputStream answers = new ObjectInputStream(this.jvm.answers())) {
			while (true) {
				take((WorkerLoop.Answer) answers.readObject());
			}
		}
		catch (IOException | ClassNotFoundException ex) {
			this.jvm.awaitExit(LONG_ENOUGH);
			this.over = true;
			failAll();
		}
	}

	private void take(WorkerLoop.Answer answer) {
		CompletableFuture<@Nullable Object> pending = this.pending.remove(answer.id());
		if (pending != null && answer.failureType() != null) {
			pending.completeExceptionally(new FailedException(answer.failureType(), answer.failure()));
		}
		else if (pending != null) {
			pending.complete(answer.value());
		}
	}

	private void failAll() {
		FailedException failure = new FailedException("", "The worker has ended: " + this.jvm.describe());
		this.pending.values().forEach((answer) -> answer.completeExceptionally(failure));
		this.pending.clear();
	}

	private <R> R await(CompletableFuture<R> answer, Duration atMost) {
		try {
			return answer.copy().orTimeout(atMost.toNanos(), TimeUnit.NANOSECONDS).join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof FailedException failure) {
				throw failure;
			}
			throw new IllegalStateException("No answer within " + atMost.toMillis() + "ms from " + this.jvm.describe(),
					ex);
		}
	}

	/**
	 * Makes the object, in its JVM.
	 *
	 * @param <T> the type of the object
	 */
	@FunctionalInterface
	public interface SetUp<T> extends Callable<T>, Serializable {

	}

	/**
	 * A question to the object, in its JVM, on a thread of its own; the answer has to be
	 * serializable.
	 *
	 * @param <T> the type of the object
	 * @param <R> the type of the answer
	 */
	@FunctionalInterface
	public interface Call<T, R> extends Serializable {

		R on(T worker) throws Exception;

	}

	/**
	 * A worker could not do what it was asked, or has ended.
	 */
	public static final class FailedException extends RuntimeException {

		private final String type;

		FailedException(String type, String message) {
			super(message);
			this.type = type;
		}

		// The class of what was thrown in the worker, empty if that has ended
		public String getType() {
			return this.type;
		}

	}

}
