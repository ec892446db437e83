package io.mongolock.test.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.bson.BsonDocument;

/**
 * Answers each message with {@code {ok: 1, n: how many it executed}}; three times to a
 * {@code watch}, as a server does whose answers go on by themselves.
 */
final class FakeServer implements AutoCloseable {

	private final ServerSocket listener;

	private final List<BsonDocument> executed = new CopyOnWriteArrayList<>();

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	FakeServer() throws IOException {
		this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
		thread(this::accept);
	}

	String host() {
		return this.listener.getInetAddress().getHostAddress();
	}

	int port() {
		return this.listener.getLocalPort();
	}

	int connections() {
		return this.open.size();
	}

	List<String> executed() {
		return this.executed.stream().map(BsonDocument::getFirstKey).toList();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.open) {
			socket.close();
		}
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.listener.accept();
				this.open.add(socket);
				if (this.listener.isClosed()) {
					// Accept may still return one that came while the listener was
					// closing
					socket.close();
				}
				thread(() -> serve(socket));
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	private void serve(Socket socket) {
		try (socket) {
			Message request = Message.read(socket.getInputStream());
			while (request != null) {
				answer(request, socket.getOutputStream());
				request = Message.read(socket.getInputStream());
			}
		}
		catch (IOException ex) {
			// reset
		}
		finally {
			this.open.remove(socket);
		}
	}

	private synchronized void answer(Message request, OutputStream out) throws IOException {
		BsonDocument command = Wire.body(request);
		this.executed.add(command);
		BsonDocument reply = BsonDocument.parse("{ok: 1, n: " + this.executed.size() + "}");
		int id = request.requestId() + 1_000;
		if (request.moreToCome()) {
			return;
		}
		if (command.getFirstKey().equals("watch")) {
			out.write(Wire.msg(id, request.requestId(), Wire.MORE_TO_COME, reply));
			out.write(Wire.msg(id + 1, id, Wire.MORE_TO_COME, reply));
			out.write(Wire.msg(id + 2, id + 1, 0, reply));
		}
		else {
			out.write(Wire.msg(id, request.requestId(), 0, reply));
		}
	}

	private static void thread(Runnable task) {
		Thread thread = new Thread(task, "fake-server");
		thread.setDaemon(true);
		thread.start();
	}

}
