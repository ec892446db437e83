package io.mongolock.test.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy in front of a MongoDB server, which makes network faults happen to chosen
 * commands. Listens on the loopback address only. Passes all bytes through unchanged, and
 * recognises commands only if neither TLS nor compression is used. Thread-safe.
 *
 * <pre class="code">
 * try (FaultProxy proxy = FaultProxy.to("localhost", 27017)) {
 *     MongoClient client = MongoClients.create(proxy.connectionString());
 *     proxy.on("findAndModify").dropReply().once();
 *     …
 * }
 * </pre>
 */
public final class FaultProxy implements AutoCloseable {

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

	private final InetSocketAddress target;

	private final ServerSocket listener;

	private final Switchboard board = new Switchboard();

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private volatile NewConnections newConnections = NewConnections.PASS;

	private volatile boolean closed;

	private FaultProxy(String host, int port, ServerSocket listener) {
		this.target = new InetSocketAddress(host, port);
		this.listener = listener;
	}

	/**
	 * Start a proxy on a free port.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @return a running proxy
	 * @throws UncheckedIOException if no port is free
	 */
	public static FaultProxy to(String host, int port) {
		try {
			FaultProxy proxy = new FaultProxy(host, port, new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
			Thread acceptor = new Thread(proxy::accept, "fault-proxy-" + proxy.port());
			acceptor.setDaemon(true);
			acceptor.start();
			return proxy;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No free port for a proxy to " + host + ":" + port, ex);
		}
	}

	/**
	 * Take a connection that a client opened elsewhere, as if the client had connected to
	 * this proxy.
	 * @param client the connection, which the proxy closes from now on
	 * @throws IOException if the connection is already closed
	 */
	public void accept(Socket client) throws IOException {
		connect(client);
	}

	/**
	 * The port to which clients connect.
	 * @return the port on the loopback address
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * The connection string for clients.
	 * @return a connection string that keeps the driver from bypassing the proxy
	 */
	public String connectionString() {
		return "mongodb://" + this.listener.getInetAddress().getHostAddress() + ":" + port()
				+ "/test?directConnection=true";
	}

	/**
	 * Choose commands by name.
	 * @param command the name as sent, for example {@code findAndModify}; case does not
	 * matter
	 * @return the selection, without effect until a fault is chosen
	 */
	public CommandSelection on(String command) {
		return new CommandSelection(this.board, (candidate) -> candidate.name().equalsIgnoreCase(command));
	}

	/**
	 * Choose all commands, including the ones by which a driver watches the server.
	 * @return the selection, without effect until a fault is chosen
	 */
	public CommandSelection onAny() {
		return new CommandSelection(this.board, (candidate) -> true);
	}

	/**
	 * Pass nothing on any more, on all present and new connections, like a network that
	 * lost its route. Messages that are sent meanwhile are delivered once the proxy is
	 * {@link #heal() healed}, even if their sender has given up.
	 */
	public void blackhole() {
		this.board.valve().shut();
	}

	/**
	 * Reset each new connection at once; open connections stay.
	 */
	public void refuseNewConnections() {
		this.newConnections = NewConnections.REFUSE;
	}

	/**
	 * Accept new connections and never answer on them, even after the proxy is
	 * {@link #heal() healed}.
	 */
	public void halfOpenNewConnections() {
		this.newConnections = NewConnections.HALF_OPEN;
	}

	/**
	 * Reset all open connections. Messages that were held on them never arrive.
	 */
	public void cut() {
		this.links.forEach(Link::cut);
	}

	/**
	 * Let later requests pass. Held requests stay held.
	 */
	public void clear() {
		this.board.clear();
	}

	/**
	 * End all faults: later requests pass, held and delayed messages are delivered now,
	 * and connections are accepted.
	 */
	public void heal() {
		clear();
		this.newConnections = NewConnections.PASS;
		this.board.release();
	}

	/**
	 * The number of requests of a command from clients, including requests that were kept
	 * from the server.
	 * @param command the name of the command
	 * @return the number since the start
	 */
	public int requests(String command) {
		return this.board.requests().seen(command);
	}

	/**
	 * The number of replies to a command from the server, including replies that were
	 * kept from their client.
	 * @param command the name of the command
	 * @return the number since the start
	 */
	public int replies(String command) {
		return this.board.replies().seen(command);
	}

	/**
	 * Wait for requests.
	 * @param command the name of the command
	 * @param least the least number since the start
	 * @param atMost how long to wait
	 * @throws IllegalStateException if there were fewer
	 */
	public void awaitRequests(String command, int least, Duration atMost) {
		this.board.requests().await("requests", command, least, atMost);
	}

	/**
	 * Wait for replies, and so until the server has executed as many requests.
	 * @param command the name of the command
	 * @param least the least number since the start
	 * @param atMost how long to wait
	 * @throws IllegalStateException if there were fewer
	 */
	public void awaitReplies(String command, int least, Duration atMost) {
		this.board.replies().await("replies", command, least, atMost);
	}

	/**
	 * Close all connections and end. Held messages never arrive.
	 */
	@Override
	public void close() {
		this.closed = true;
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The proxy on port " + port() + " does not close", ex);
		}
		finally {
			this.links.forEach(Link::close);
			this.board.release();
		}
	}

	private void accept() {
		while (!this.closed) {
			try {
				connect(this.listener.accept());
			}
			catch (IOException ex) {
				// Closed, or the client was gone again before it was accepted
			}
		}
	}

	private void connect(Socket client) throws IOException {
		NewConnections mode = this.newConnections;
		Socket server = new Socket();
		try {
			if (mode == NewConnections.REFUSE) {
				throw new IOException("Refused");
			}
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			server.connect(this.target, (int) CONNECT_TIMEOUT.toMillis());
		}
		catch (IOException ex) {
			server.close();
			Link.reset(client);
			return;
		}
		start(new Link(client, server, this.board, this.links::remove), mode);
	}

	private void start(Link link, NewConnections mode) {
		this.links.add(link);
		if (mode == NewConnections.HALF_OPEN) {
			link.silence();
		}
		link.start("fault-proxy-" + port());
		if (this.closed) {
			link.close();
		}
	}

}
