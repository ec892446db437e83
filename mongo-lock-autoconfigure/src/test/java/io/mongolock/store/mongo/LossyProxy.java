package io.mongolock.store.mongo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between client and server and loses what the test wants lost.
 */
final class LossyProxy implements AutoCloseable {

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	private final ServerSocket listener;

	private final int target;

	private final AtomicInteger lost = new AtomicInteger();

	private volatile Loss loss = Loss.NOTHING;

	LossyProxy(int target) throws IOException {
		this.target = target;
		this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	String connectionString() {
		return "mongodb://127.0.0.1:" + this.listener.getLocalPort();
	}

	void lose(Loss loss) {
		this.loss = loss;
	}

	int lostRequests() {
		return this.lost.get();
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.listener.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.sockets.addAll(List.of(client, server));
			start(() -> requests(client, server));
			start(() -> answers(server, client));
		}
	}

	private void requests(Socket client, Socket server) throws IOException {
		pump(client.getInputStream(), server.getOutputStream(), Loss.REQUESTS);
	}

	private void answers(Socket server, Socket client) throws IOException {
		try (client) {
			pump(server.getInputStream(), client.getOutputStream(), Loss.ANSWERS);
		}
	}

	private void pump(InputStream from, OutputStream to, Loss lost) throws IOException {
		byte[] buffer = new byte[8192];
		for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
			if (this.loss == lost && lost == Loss.ANSWERS) {
				return;
			}
			if (this.loss != lost) {
				to.write(buffer, 0, count);
			}
			else {
				this.lost.incrementAndGet();
			}
		}
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	private static void start(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (IOException ex) {
				// closed by one of the two sides
			}
		}, "lossy-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	enum Loss {

		NOTHING,

		/** Requests vanish, connections stay open. */
		REQUESTS,

		/** The server executes, but the connection breaks before its answer. */
		ANSWERS

	}

	private interface Work {

		void run() throws IOException;

	}

}
