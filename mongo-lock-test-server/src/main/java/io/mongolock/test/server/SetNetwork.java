package io.mongolock.test.server;

import java.util.List;

import io.mongolock.test.proxy.FaultProxy;

/**
 * How members are reached, and what keeps them from each other and from clients. Members
 * are known by their index. Thread-safe.
 */
interface SetNetwork extends AutoCloseable {

	/** The loopback address, where no member can be cut off. */
	SetNetwork LOOPBACK = new SetNetwork() {

		@Override
		public String toString() {
			return "";
		}

	};

	// What a command of a member begins with
	default List<String> command(int member) {
		return List.of();
	}

	// Where a member listens
	default String host(int member) {
		return "127.0.0.1";
	}

	// Where all reach a member that listens on a port
	default String address(int member, int port) {
		return host(member) + ":" + port;
	}

	// Keep a member and the others from each other
	default void isolate(int member) {
		throw inseparable();
	}

	// Keep a member from everyone
	default void vanish(int member) {
		throw inseparable();
	}

	// Between a member and all its clients
	default FaultProxy fromClients(int member) {
		throw inseparable();
	}

	// Connect all
	default void heal() {
	}

	@Override
	default void close() {
	}

	private static IllegalStateException inseparable() {
		return new IllegalStateException("These servers have no proxies between them: start them as separable()");
	}

}
