package io.mongolock.benchmarks;

import java.util.Optional;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;

/**
 * The server that is measured on: the one that {@code MONGO_LOCK_TEST_URI} names,
 * otherwise a replica set of one member with its journal on where there is a
 * {@code mongod}, otherwise an embedded one in this JVM.
 *
 * @param uri its connection string
 * @param label what figures are marked with
 * @param process what is closed with it
 */
public record MeasuredServer(String uri, String label, AutoCloseable process) implements AutoCloseable {

	/**
	 * Start it if it does not run, and say in one line of the output which it is.
	 */
	public static MeasuredServer start() {
		MeasuredServer server = GivenServer.uri()
			.map((uri) -> new MeasuredServer(uri, "the server that " + GivenServer.NAME + " names", () -> {
			}))
			.orElseGet(MeasuredServer::own);
		System.out.println("Measured on " + server.label());
		return server;
	}

	private static MeasuredServer own() {
		return binary().map(MeasuredServer::real).orElseGet(MeasuredServer::embedded);
	}

	/**
	 * What a real server can be started from.
	 * @return the executable, or empty if there is none or the embedded server is asked
	 * for
	 */
	public static Optional<MongodBinary> binary() {
		return GivenServer.isEmbedded() ? Optional.empty() : MongodBinary.find();
	}

	private static MeasuredServer real(MongodBinary binary) {
		RealMongo server = RealMongo.builder(binary).replicaSet(1).start();
		return new MeasuredServer(server.connectionString(), server.label(), server);
	}

	private static MeasuredServer embedded() {
		EmbeddedMongo server = EmbeddedMongo.start();
		return new MeasuredServer(server.connectionString(), "the embedded server", server);
	}

	@Override
	public void close() {
		try {
			this.process.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The server does not end", ex);
		}
	}

}
