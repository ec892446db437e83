package io.mongolock.faults.harness.worker;

import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.worker.WorkerJvm.Call;
import io.mongolock.faults.harness.worker.WorkerJvm.SetUp;

/**
 * The worker's side of a {@link WorkerJvm}: does what is asked until the test is gone.
 */
public final class WorkerLoop {

	/** Answers no request. */
	static final long READY = 0;

	private final ObjectOutputStream out;

	private final Object worker;

	private WorkerLoop(ObjectOutputStream out, Object worker) {
		this.out = out;
		this.worker = worker;
	}

	public static void main(String[] args) throws Exception {
		OutputStream answers = System.out;
		// What else is printed must not get among the answers
		System.setOut(System.err);
		ObjectOutputStream out = new ObjectOutputStream(answers);
		out.flush();
		ObjectInputStream in = new ObjectInputStream(System.in);
		WorkerLoop loop = new WorkerLoop(out, ((SetUp<?>) in.readObject()).call());
		loop.answer(new Answer(READY, null, null, ""));
		try {
			while (true) {
				Request request = (Request) in.readObject();
				Daemon.start("request-" + request.id(), () -> loop.serve(request));
			}
		}
		catch (EOFException ex) {
			System.exit(0);
		}
	}

	@SuppressWarnings("unchecked")
	private void serve(Request request) {
		try {
			answer(new Answer(request.id(), ((Call<Object, ?>) request.call()).on(this.worker), null, ""));
		}
		catch (Throwable ex) {
			answer(new Answer(request.id(), null, ex.getClass().getName(), ex.toString()));
		}
	}

	private synchronized void answer(Answer answer) {
		try {
			this.out.writeObject(answer);
			this.out.flush();
			this.out.reset();
		}
		catch (IOException ex) {
			throw new IllegalStateException("The test cannot be answered", ex);
		}
	}

	record Request(long id, Call<?, ?> call) implements Serializable {
	}

	record Answer(long id, @Nullable Object value, @Nullable String failureType,
			String failure) implements Serializable {
	}

}
