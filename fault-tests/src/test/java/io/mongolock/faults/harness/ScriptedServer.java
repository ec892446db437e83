package io.mongolock.faults.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import org.bson.BsonDocument;

import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.test.proxy.Message;

/**
 * Says that it is the primary of a replica set, passes commands on to the embedded
 * server, and lets a script answer otherwise. Thread-safe.
 */
public final class ScriptedServer implements AutoCloseable {

	/** What figures are measured on. */
	public static final String SERVER = "scripted answers before " + RowFigures.EMBEDDED;

	private static final Set<String> ENVELOPE = Set.of("$db", "$clusterTime", "$readPreference", "lsid", "txnNumber");

	private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

	private final MongoClient server;

	private final ServerSocket listener;

	private volatile Script script = (command, passedOn) -> passedOn.get();

	private volatile boolean shut;

	public ScriptedServer(MongoClient server) {
		this.server = server;
		try {
			this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Daemon.start("scripted-server", this::accept);
	}

	public String connectionString() {
		return "mongodb://" + address() + "/?directConnection=true";
	}

	public String address() {
		return this.listener.getInetAddress().getHostAddress() + ":" + this.listener.getLocalPort();
	}

	public void script(Script script) {
		this.script = script;
	}

	// As if nobody were there
	public void shut() {
		this.shut = true;
		closeConnections();
	}

	public void open() {
		this.shut = false;
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		closeConnections();
	}

	private void closeConnections() {
		try {
			for (Socket connection : this.connections) {
				connection.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept() {
		try {
			while (true) {
				Socket connection = this.listener.accept();
				this.connections.add(connection);
				if (this.shut || this.listener.isClosed()) {
					// Accept may still return one that came while the listener was
					// closing
					connection.close();
				}
				Daemon.start("scripted-server", () -> serve(connection));
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	private void serve(Socket connection) {
		try (connection) {
			InputStream in = connection.getInputStream();
			for (Message request = Message.read(in); request != null; request = Message.read(in)) {
				connection.getOutputStream().write(request.reply(answer(request.command())));
			}
		}
		catch (IOException ex) {
			// closed
		}
	}

	private BsonDocument answer(BsonDocument command) {
		return this.script.answer(command, () -> (isHello(command)) ? hello() : passOn(command));
	}

	private BsonDocument passOn(BsonDocument command) {
		BsonDocument bare = command.clone();
		ENVELOPE.forEach(bare::remove);
		try {
			return this.server.getDatabase(command.getString("$db").getValue())
				.runCommand(bare, BsonDocument.class)
				.toBsonDocument();
		}
		catch (MongoCommandException ex) {
			return ex.getResponse();
		}
	}

	public static boolean isHello(BsonDocument command) {
		String name = command.getFirstKey();
		return name.equalsIgnoreCase("hello") || name.equalsIgnoreCase("ismaster");
	}

	private BsonDocument hello() {
		return BsonDocument.parse("""
				{ isWritablePrimary: true, ismaster: true, helloOk: true, readOnly: false,
				  setName: "rows", hosts: [ "%1$s" ], primary: "%1$s", me: "%1$s",
				  maxBsonObjectSize: 16777216, maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000,
				  localTime: { $date: { $numberLong: "%2$d" } }, logicalSessionTimeoutMinutes: 30,
				  minWireVersion: 0, maxWireVersion: 21, ok: 1.0 }
				""".formatted(address(), System.currentTimeMillis()));
	}

	/**
	 * How commands are answered.
	 */
	@FunctionalInterface
	public interface Script {

		// Called by several threads; what is passed on is executed by the embedded server
		BsonDocument answer(BsonDocument command, Supplier<BsonDocument> passedOn);

	}

}
