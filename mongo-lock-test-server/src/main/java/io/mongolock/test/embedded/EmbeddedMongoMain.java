package io.mongolock.test.embedded;

import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;

/**
 * The embedded server as its own process, for several JVMs to share and for tests to
 * kill. It runs until it is killed.
 */
public final class EmbeddedMongoMain {

	private EmbeddedMongoMain() {
	}

	/**
	 * Start the server and run until killed.
	 * @param args {@code --port=}, {@code --bind=}, {@code --upsert-race=} and
	 * {@code --replica-set}
	 * @throws InterruptedException if the main thread is interrupted
	 */
	public static void main(String[] args) throws InterruptedException {
		silenceLogging();
		int status = start(args, System.out, System.err);
		if (status != 0) {
			System.exit(status);
		}
		// The server's threads do not keep the JVM alive
		new CountDownLatch(1).await();
	}

	/**
	 * Switch logging off, because there may be no logging library, or one that would
	 * print each request.
	 */
	private static void silenceLogging() {
		if (System.getProperty("slf4j.provider") == null) {
			System.setProperty("slf4j.internal.verbosity", "ERROR");
			System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
		}
	}

	/**
	 * Start the server, or say in one line why that is not possible.
	 * @param args the arguments
	 * @param out the stream for the message that the server is ready
	 * @param err the stream for errors
	 * @return the exit status: 0 if it runs, 2 for bad arguments, 1 if it cannot listen
	 */
	static int start(String[] args, PrintStream out, PrintStream err) {
		try {
			EmbeddedMongo server = Arguments.parse(args).toBuilder().start();
			out.println("mongo-lock embedded server ready at " + server.connectionString() + ", data in memory only");
			return 0;
		}
		catch (IllegalArgumentException ex) {
			err.println(ex.getMessage());
			return 2;
		}
		catch (IllegalStateException ex) {
			err.println(ex.getMessage());
			return 1;
		}
	}

}
