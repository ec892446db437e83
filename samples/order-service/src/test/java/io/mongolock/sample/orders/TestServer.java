package io.mongolock.sample.orders;

import java.util.regex.Pattern;

import io.mongolock.test.embedded.EmbeddedMongoMain;

/**
 * The embedded server as a process of its own.
 */
final class TestServer implements AutoCloseable {

	private static final Pattern READY = Pattern.compile("mongodb://127\\.0\\.0\\.1:(\\d+)");

	private TestJvm jvm;

	private final int port;

	TestServer() {
		this.jvm = TestJvm.start(EmbeddedMongoMain.class, "--port=0");
		this.port = Integer.parseInt(this.jvm.awaitLine(READY));
	}

	int port() {
		return this.port;
	}

	/**
	 * Kill it; its data is gone.
	 */
	void kill() {
		this.jvm.kill();
	}

	/**
	 * Start it again on the same port, empty.
	 */
	void restart() {
		this.jvm = TestJvm.start(EmbeddedMongoMain.class, "--port=" + this.port);
		this.jvm.awaitLine(READY);
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
