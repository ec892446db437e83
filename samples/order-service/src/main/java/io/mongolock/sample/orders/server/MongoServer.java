package io.mongolock.sample.orders.server;

import java.net.BindException;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * The server that the application uses.
 */
public final class MongoServer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(MongoServer.class);

	private final String description;

	private final String uri;

	private final boolean inMemory;

	private final @Nullable EmbeddedMongo embedded;

	private MongoServer(String description, String uri, boolean inMemory, @Nullable EmbeddedMongo embedded) {
		this.description = description;
		this.uri = uri;
		this.inMemory = inMemory;
		this.embedded = embedded;
		logger.info("Using " + description + ((inMemory)
				? ". Its data lives in memory only; set spring.mongodb.uri to use a server of yours" : ""));
	}

	/**
	 * The server that is configured.
	 * @param uri its connection string
	 * @param hosts its hosts, for diagnostics
	 * @return the server
	 */
	static MongoServer configured(String uri, List<String> hosts) {
		return new MongoServer("the configured MongoDB server " + String.join(", ", hosts), uri, false, null);
	}

	/**
	 * Start the embedded server in this process, or join whichever listens on its port.
	 * @param port the port, 0 for any
	 * @return the server
	 */
	static MongoServer embedded(int port) {
		try {
			// A replica set has a change stream, which wakes those who wait in the queue
			EmbeddedMongo embedded = EmbeddedMongo.builder().replicaSet().port(port).start();
			return new MongoServer("the embedded server in this process, port " + embedded.port(),
					embedded.connectionString(), true, embedded);
		}
		catch (IllegalStateException ex) {
			if (!(ex.getCause() instanceof BindException)) {
				throw ex;
			}
			return new MongoServer("the embedded server of another process, port " + port,
					"mongodb://127.0.0.1:" + port, true, null);
		}
	}

	/**
	 * How to reach it.
	 * @return the connection string
	 */
	String uri() {
		return this.uri;
	}

	/**
	 * Whether its data is known to live in memory only.
	 * @return whether it is an embedded one
	 */
	public boolean isInMemory() {
		return this.inMemory;
	}

	/**
	 * Whether it lives, and dies, with this process.
	 * @return whether it is an embedded one of this process
	 */
	public boolean runsHere() {
		return this.embedded != null;
	}

	@Override
	public void close() {
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

	@Override
	public String toString() {
		return this.description;
	}

}
