package io.mongolock.test.server;

import java.util.List;

import io.mongolock.test.proxy.FaultProxy;

/**
 * Decides how members are reached, and cuts them off from each other and from clients.
 * Members are identified by their index. Thread-safe.
 */
interface SetNetwork extends AutoCloseable {

	/** The loopback address, where no member can be cut off. */
	SetNetwork LOOPBACK = new SetNetwork() {

		@Override
		public String toString() {
			return "";
		}

	};

	// The beginning of a member's command
	default List<String> command(int member) {
		return List.of();
	}

	// The host on which a member listens
	default String host(int member) {
		return "127.0.0.1";
	}

	// The address at which all reach a member that listens on a port
	default String address(int member, int port) {
		return host(member) + ":" + port;
	}

	// Cut a member and the others off from each other
	default void isolate(int member) {
		throw inseparable();
	}

	// Cut a member off from all others and from clients
	default void vanish(int member) {
		throw inseparable();
	}

	// The proxy between a member and all its clients
	default FaultProxy fromClients(int member) {
		throw inseparable();
	}

	// Connect all members again
	default void heal() {
	}

	@Override
	default void close() {
	}

	private static IllegalStateException inseparable() {
		return new IllegalStateException("These servers have no proxies between them: start them as separable()");
	}

}
