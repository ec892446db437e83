package io.mongolock.test.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports below the ports that the system gives to clients. Otherwise, a restarted
 * server might find a client on its port.
 */
final class Ports {

	private static final int FIRST = 15_000;

	private static final int LAST = 29_999;

	private Ports() {
	}

	static int free() {
		for (int i = 0; i < 1000; i++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// taken
			}
		}
		throw new IllegalStateException("No port from " + FIRST + " to " + LAST + " is free");
	}

}
