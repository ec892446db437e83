package io.mongolock.test.server;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

import org.bson.BsonDocument;
import org.bson.BsonString;

import io.mongolock.test.proxy.Message;

/**
 * One connection to a server on this machine, for the few commands that initiate and
 * watch a set. This module has no driver, and a driver would wait for a primary even if
 * there is none yet. Not thread-safe.
 */
final class WireClient implements Closeable {

	private final Socket socket = new Socket();

	private int requests;

	WireClient(String host, int port, Duration timeout) throws IOException {
		try {
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout((int) timeout.toMillis());
			this.socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	// Runs one command on the database admin, over its own connection
	static BsonDocument run(String host, int port, Duration timeout, BsonDocument command) throws IOException {
		try (WireClient client = new WireClient(host, port, timeout)) {
			return client.run(command);
		}
	}

	private BsonDocument run(BsonDocument command) throws IOException {
		BsonDocument request = command.clone().append("$db", new BsonString("admin"));
		this.socket.getOutputStream().write(Message.request(++this.requests, request));
		Message reply = Message.read(this.socket.getInputStream());
		if (reply == null) {
			throw new EOFException("Closed instead of an answer to " + command.getFirstKey());
		}
		BsonDocument answer = reply.command();
		if (answer.getNumber("ok").doubleValue() != 1) {
			throw new IOException(command.getFirstKey() + " failed: " + answer.toJson());
		}
		return answer;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
