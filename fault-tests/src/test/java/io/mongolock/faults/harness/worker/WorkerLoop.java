package io.mongolock.faults.harness.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.mongolock.faults.harness.worker.Protocol.Kind;

/**
 * The worker's side: does what a {@link WorkerJvm} asks, each request on a thread of its
 * own, until the test is gone. Not thread-safe.
 */
public final class WorkerLoop {

	private final Map<String, Handler> handlers = new HashMap<>();

	private final InputStream in;

	private final PrintStream out;

	/**
	 * A loop over standard input and output.
	 */
	public WorkerLoop() {
		this(System.in, System.out);
	}

	WorkerLoop(InputStream in, PrintStream out) {
		this.in = in;
		this.out = out;
	}

	/**
	 * Say what to do on a command.
	 * @param command its name
	 * @param handler what to do
	 * @return this loop
	 */
	public WorkerLoop on(String command, Handler handler) {
		this.handlers.put(command, handler);
		return this;
	}

	/**
	 * Tell the test that this worker is ready, and serve it until it closes the input or
	 * dies.
	 * @throws IOException if the input fails
	 */
	public void run() throws IOException {
		print(new Protocol(Kind.READY, 0, List.of()));
		BufferedReader reader = new BufferedReader(new InputStreamReader(this.in, StandardCharsets.UTF_8));
		for (String line = reader.readLine(); line != null; line = reader.readLine()) {
			Protocol.parse(line).ifPresent((request) -> {
				Thread thread = new Thread(() -> serve(request), "request-" + request.id());
				thread.setDaemon(true);
				thread.start();
			});
		}
	}

	private void serve(Protocol request) {
		List<String> fields = request.fields();
		Handler handler = this.handlers.get(fields.get(0));
		try {
			if (handler == null) {
				throw new IllegalArgumentException(
						"No command '" + fields.get(0) + "', only " + this.handlers.keySet());
			}
			String answer = handler.handle(fields.subList(1, fields.size()));
			print(new Protocol(Kind.ANSWER, request.id(), List.of(answer)));
		}
		catch (Throwable ex) {
			print(new Protocol(Kind.FAILURE, request.id(), List.of(ex.getClass().getName(), ex.toString())));
		}
	}

	private synchronized void print(Protocol message) {
		this.out.println(message.line());
		this.out.flush();
	}

	/**
	 * What a worker does on a command.
	 */
	@FunctionalInterface
	public interface Handler {

		/**
		 * Do it.
		 * @param args the arguments of the command
		 * @return the answer
		 * @throws Exception told to the test as a {@link WorkerFailedException}
		 */
		String handle(List<String> args) throws Exception;

	}

}
