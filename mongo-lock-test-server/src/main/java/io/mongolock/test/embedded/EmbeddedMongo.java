package io.mongolock.test.embedded;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

import de.bwaldvogel.mongo.wire.MongoWireMessageEncoder;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import de.bwaldvogel.mongo.wire.MongoWireReplyEncoder;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;

/**
 * A MongoDB server in this process that keeps its data in memory. It answers the
 * statements of the locks as a real server does, either as a standalone server or as the
 * only member of a replica set. It listens until it is closed. Thread-safe.
 */
public final class EmbeddedMongo implements AutoCloseable {

	/** The name of the replica set, for {@code replicaSet=} in a connection string. */
	static final String REPLICA_SET_NAME = "embedded";

	private static final int BACKLOG = 1024;

	private final EmbeddedBackend backend;

	private final EventLoopGroup threads;

	private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

	private final Channel listener;

	private EmbeddedMongo(Builder builder) {
		this.backend = new EmbeddedBackend(builder.clock, builder.upsertRace, builder.replicaSet);
		this.threads = new MultiThreadIoEventLoopGroup(new DefaultThreadFactory("mongo-lock-embedded", true),
				NioIoHandler.newFactory());
		this.listener = listen(new InetSocketAddress(builder.bindAddress, builder.port));
	}

	private Channel listen(InetSocketAddress address) {
		ChannelFuture bound = new ServerBootstrap().group(this.threads)
			.channel(NioServerSocketChannel.class)
			.option(ChannelOption.SO_BACKLOG, BACKLOG)
			.option(ChannelOption.SO_REUSEADDR, true)
			.childOption(ChannelOption.TCP_NODELAY, true)
			.childHandler(new Connection())
			.bind(address)
			.awaitUninterruptibly();
		if (!bound.isSuccess()) {
			stopThreads();
			throw new IllegalStateException(
					"The embedded server cannot listen on " + address.getHostString() + ":" + address.getPort() + " ("
							+ bound.cause().getMessage() + "): choose another port, or 0 for any that is free",
					bound.cause());
		}
		return bound.channel();
	}

	/**
	 * Start a server on a free port of the loopback address, with the system's clock and
	 * the behaviour of MongoDB 5.0.
	 * @return the server, listening
	 */
	public static EmbeddedMongo start() {
		return builder().start();
	}

	public static Builder builder() {
		return new Builder();
	}

	/**
	 * The connection string for clients, like {@code mongodb://127.0.0.1:27017}.
	 * @return the connection string
	 */
	public String connectionString() {
		InetAddress address = address().getAddress();
		String host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
		return "mongodb://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
	}

	/**
	 * The port on which the server listens.
	 * @return the port
	 */
	public int port() {
		return address().getPort();
	}

	private InetSocketAddress address() {
		return (InetSocketAddress) this.listener.localAddress();
	}

	/**
	 * Delete at once the documents that have expired by the TTL indexes of all databases.
	 * A real server does so once a minute; this one only on demand.
	 * @return how many documents were deleted
	 */
	public int runTtlMonitor() {
		return this.backend.expire();
	}

	/**
	 * Make change streams show no new events, as in a replica set whose majority confirms
	 * nothing new. Writes are answered nevertheless.
	 * @throws de.bwaldvogel.mongo.exception.MongoServerError if this is no replica set
	 */
	public void holdChangeEvents() {
		this.backend.changes().hold();
	}

	/**
	 * Make change streams show new events again, and the events since
	 * {@link #holdChangeEvents}.
	 */
	public void showChangeEvents() {
		this.backend.changes().show();
	}

	/**
	 * Stop listening and close all connections; the data is gone. A second call does
	 * nothing.
	 */
	@Override
	public void close() {
		this.listener.close().awaitUninterruptibly();
		this.connections.close().awaitUninterruptibly();
		stopThreads();
		this.backend.close();
	}

	private void stopThreads() {
		this.threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	/**
	 * Settings of a server to start.
	 */
	public static final class Builder {

		private int port;

		private String bindAddress = "127.0.0.1";

		private UpsertRace upsertRace = UpsertRace.RETRY;

		private InstantSource clock = InstantSource.system();

		private boolean replicaSet;

		private Builder() {
		}

		/**
		 * The port to listen on; 0, the default, for any that is free.
		 * @param port 0 to 65535
		 * @return this builder
		 */
		public Builder port(int port) {
			this.port = port;
			return this;
		}

		/**
		 * The address to listen on; the loopback address by default, because there is no
		 * authentication.
		 * @param bindAddress an address of this machine
		 * @return this builder
		 */
		public Builder bindAddress(String bindAddress) {
			this.bindAddress = bindAddress;
			return this;
		}

		/**
		 * The behaviour if two clients insert the same new document, and so the version
		 * that the server shows. Versions 4.4 and 5.0 differ in this, and in the events
		 * of change streams for updates by pipeline.
		 * @param upsertRace the version to behave as
		 * @return this builder
		 */
		public Builder upsertRace(UpsertRace upsertRace) {
			this.upsertRace = upsertRace;
			return this;
		}

		/**
		 * Be the only member, and so the primary, of a replica set named
		 * {@code embedded}, with change streams on single collections, retryable writes
		 * and transactions. By default, the server is a standalone one.
		 * @return this builder
		 */
		public Builder replicaSet() {
			this.replicaSet = true;
			return this;
		}

		/**
		 * The server's clock, for {@code $$NOW}, {@code $currentDate} and the TTL; by
		 * default, the system's clock.
		 * @param clock the clock
		 * @return this builder
		 */
		public Builder clock(InstantSource clock) {
			this.clock = clock;
			return this;
		}

		/**
		 * Start the server.
		 * @return the server, listening
		 * @throws IllegalStateException if it cannot listen, for example because the port
		 * is taken
		 */
		public EmbeddedMongo start() {
			return new EmbeddedMongo(this);
		}

	}

	/**
	 * Sets up each connection.
	 */
	private final class Connection extends ChannelInitializer<SocketChannel> {

		@Override
		protected void initChannel(SocketChannel channel) {
			channel.pipeline()
				.addLast(new MongoWireReplyEncoder(), new MongoWireMessageEncoder(), new MongoWireProtocolHandler(),
						new RequestHandler(EmbeddedMongo.this.backend, EmbeddedMongo.this.connections));
		}

	}

}
