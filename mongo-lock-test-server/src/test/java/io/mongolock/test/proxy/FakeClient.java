package io.mongolock.test.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

import org.bson.BsonDocument;

/**
 * A client that sends commands and reads replies on demand.
 */
final class FakeClient implements AutoCloseable {

	private final Socket socket;

	private int lastId;

	FakeClient(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setSoTimeout(10_000);
	}

	int send(String command) throws IOException {
		return send(command, 0);
	}

	int send(String command, int flags) throws IOException {
		int id = ++this.lastId;
		this.socket.getOutputStream().write(Wire.msg(id, 0, flags, BsonDocument.parse(command)));
		return id;
	}

	Message read() throws IOException {
		return Message.read(this.socket.getInputStream());
	}

	int readByte() throws IOException {
		return this.socket.getInputStream().read();
	}

	int available() throws IOException {
		return this.socket.getInputStream().available();
	}

	Message ask(String command) throws IOException {
		send(command);
		return read();
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
