package io.mongolock.test.proxy;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * One connection of a client, with its own connection to the server. Requests and replies
 * have one thread each. A held message blocks its thread, so no message overtakes it.
 */
final class Link implements Closeable {

	private final Socket client;

	private final Socket server;

	private final Switchboard board;

	private final Consumer<Link> onClose;

	private final Map<Integer, Exchange> pending = new ConcurrentHashMap<>();

	private volatile boolean clientGone;

	private volatile boolean mute;

	Link(Socket client, Socket server, Switchboard board, Consumer<Link> onClose) {
		this.client = client;
		this.server = server;
		this.board = board;
		this.onClose = onClose;
	}

	void start(String name) {
		thread(name + "-requests", this::pumpRequests);
		thread(name + "-replies", this::pumpReplies);
	}

	/**
	 * Send a request to the server.
	 * @param exchange the request
	 * @param copies how many times
	 * @throws IOException if the server cannot be reached
	 */
	void deliver(Exchange exchange, int copies) throws IOException {
		this.board.valve().awaitOpen();
		Message request = exchange.request();
		if (!request.moreToCome()) {
			exchange.expect(copies);
			this.pending.put(request.requestId(), exchange);
		}
		for (int i = 0; i < copies; i++) {
			this.server.getOutputStream().write(request.bytes());
		}
	}

	/**
	 * Send bytes to the client. This does not fail if the client has gone away, because
	 * its earlier requests still have to reach the server.
	 * @param bytes all or part of a reply
	 * @throws IOException if interrupted
	 */
	void answer(byte[] bytes) throws IOException {
		this.board.valve().awaitOpen();
		try {
			this.client.getOutputStream().write(bytes);
		}
		catch (IOException ex) {
			this.clientGone = true;
		}
	}

	void drip(Message reply, Duration perByte) throws IOException {
		byte[] bytes = reply.bytes();
		for (int i = 0; i < bytes.length && !this.clientGone; i++) {
			this.board.pause(perByte);
			answer(Arrays.copyOfRange(bytes, i, i + 1));
		}
	}

	void pause(Duration duration) throws IOException {
		this.board.pause(duration);
	}

	/**
	 * Stay connected on both sides, and pass nothing on any more.
	 */
	void silence() {
		this.mute = true;
	}

	/**
	 * Reset the client's connection.
	 */
	void cut() {
		reset(this.client);
		close();
	}

	@Override
	public void close() {
		closeQuietly(this.client);
		closeQuietly(this.server);
		this.onClose.accept(this);
	}

	/**
	 * Close a socket so that the other side sees a reset rather than an orderly end.
	 * @param socket the socket
	 */
	static void reset(Socket socket) {
		try {
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// Closed already
		}
		closeQuietly(socket);
	}

	private void pumpRequests() {
		try {
			InputStream in = this.client.getInputStream();
			for (Message request = Message.read(in); request != null; request = Message.read(in)) {
				request(request);
			}
		}
		catch (IOException ex) {
			// Reset by the client, or the server is gone: either way there is no more
		}
		finally {
			this.clientGone = true;
			closeIfDone();
		}
	}

	private void request(Message request) throws IOException {
		if (this.mute) {
			return;
		}
		Exchange exchange = this.board.decide(request);
		try {
			exchange.action().request().take(exchange, this);
		}
		catch (IOException ex) {
			close();
			throw ex;
		}
	}

	private void pumpReplies() {
		try {
			InputStream in = this.server.getInputStream();
			for (Message reply = Message.read(in); reply != null; reply = Message.read(in)) {
				reply(reply);
			}
		}
		catch (IOException ex) {
			// Closed by either side
		}
		finally {
			close();
		}
	}

	private void reply(Message reply) throws IOException {
		if (this.mute) {
			return;
		}
		Exchange exchange = this.pending.get(reply.responseTo());
		if (exchange == null) {
			answer(reply.bytes());
			return;
		}
		exchange.countReply();
		this.board.replies().count(exchange.command());
		exchange.action().reply().take(exchange, reply, this);
		if (exchange.isAnswered()) {
			this.pending.remove(reply.responseTo());
		}
		if (reply.moreToCome()) {
			this.pending.put(reply.requestId(), exchange.stream());
		}
		closeIfDone();
	}

	/**
	 * Close after the last answer. A server that sees its client go may give up the
	 * client's requests.
	 */
	private void closeIfDone() {
		if (this.clientGone && (this.mute || this.pending.values().stream().allMatch(Exchange::isStreaming))) {
			close();
		}
	}

	private static void thread(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static void closeQuietly(@Nullable Closeable socket) {
		try {
			if (socket != null) {
				socket.close();
			}
		}
		catch (IOException ex) {
			// Nothing more can be done for it
		}
	}

}
