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

	// Listening on a free port
	public static EmbeddedServerProcess start() {
		return new EmbeddedServerProcess(false);
	}

	// Start a replica set of one member, which has change streams
	public static EmbeddedServerProcess startReplicaSet() {
		return new EmbeddedServerProcess(true);
	}

	// The same after a restart
	public int port() {
		return this.port;
	}

	public void kill() {
		this.worker.process().kill();
	}

	// On the same port, empty; killed first if it runs
	public void restart() {
		kill();
		this.worker = launch(this.port, this.replicaSet);
	}

	// Suspend it (SIGSTOP): it accepts connections, as its kernel does, and answers none
	public void suspend() {
		this.worker.process().suspend();
	}

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
