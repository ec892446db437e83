package io.mongolock.faults.harness.worker;

import java.util.List;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * The embedded server as a process of its own, on the loopback address. Killed, it
 * forgets all data. Not thread-safe.
 */
public final class EmbeddedServerProcess implements AutoCloseable {

	private WorkerJvm<EmbeddedMongo> worker;

	private final int port;

	private final boolean replicaSet;

	private EmbeddedServerProcess(boolean replicaSet) {
		this.replicaSet = replicaSet;
		this.worker = launch(0, replicaSet);
		this.port = this.worker.ask(EmbeddedMongo::port);
	}

	/**
	 * Start a server on a free port and wait until it listens.
	 * @return the server, listening
	 * @throws WorkerFailedException if it does not start
	 */
	public static EmbeddedServerProcess start() {
		return new EmbeddedServerProcess(false);
	}

	/**
	 * Start a replica set of one member, which has change streams.
	 * @return the server, listening
	 * @throws WorkerFailedException if it does not start
	 */
	public static EmbeddedServerProcess startReplicaSet() {
		return new EmbeddedServerProcess(true);
	}

	/**
	 * Where it listens.
	 * @return the port, the same after a restart
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Kill it (SIGKILL); when this returns, it is gone and so is its data.
	 */
	public void kill() {
		this.worker.process().kill();
	}

	/**
	 * Start it again on the same port, empty, and wait until it listens; killed first if
	 * it runs.
	 * @throws WorkerFailedException if it does not start
	 */
	public void restart() {
		kill();
		this.worker = launch(this.port, this.replicaSet);
	}

	/**
	 * Suspend it (SIGSTOP): it accepts connections, as its kernel does, and answers none.
	 */
	public void suspend() {
		this.worker.process().suspend();
	}

	/**
	 * Let it go on (SIGCONT).
	 */
	public void resume() {
		this.worker.process().resume();
	}

	@Override
	public void close() {
		this.worker.close();
	}

	private static WorkerJvm<EmbeddedMongo> launch(int port, boolean replicaSet) {
		WorkerJvm<EmbeddedMongo> worker = WorkerJvm.start(List.of("-Xmx256m"), () -> {
			EmbeddedMongo.Builder server = EmbeddedMongo.builder().port(port);
			return ((replicaSet) ? server.replicaSet() : server).start();
		});
		try {
			return worker.awaitReady();
		}
		catch (WorkerFailedException ex) {
			worker.close();
			throw ex;
		}
	}

}
