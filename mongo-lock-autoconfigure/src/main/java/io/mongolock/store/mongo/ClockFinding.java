package io.mongolock.store.mongo;

import org.jspecify.annotations.Nullable;

/**
 * What a comparison of clocks has found.
 *
 * @param kind what
 * @param server the server whose clock it is about, {@code null} for that of this machine
 * @param reference the server it was compared with
 * @param offset how far the clock is ahead, in milliseconds, negative if it is behind
 */
record ClockFinding(Kind kind, @Nullable Heartbeat server, Heartbeat reference, long offset) {

	String describe(long tolerated) {
		return switch (this.kind) {
			case SERVER_OFF -> name() + " is " + distance() + " that of " + this.reference.server()
					+ ", with which most agree; up to " + tolerated + " ms are tolerated. " + consequence()
					+ ". Set it right (NTP) before the next election";
			case SERVER_RIGHT -> name() + " agrees with that of " + this.reference.server() + " again";
			case HERE_OFF -> name() + " is " + distance() + " that of MongoDB server " + this.reference.server()
					+ " and all others that were heard. Locks are safe, as no time of a client is ever sent or"
					+ " compared, but the times in its logs are wrong, or theirs are. Set the clocks right (NTP)";
			case HERE_RIGHT -> name() + " agrees with that of MongoDB server " + this.reference.server() + " again";
		};
	}

	private String name() {
		return "The clock of " + ((this.server != null) ? "MongoDB server " + this.server.server() : "this machine");
	}

	private String distance() {
		return Math.abs(this.offset) + " ms " + ((this.offset > 0) ? "ahead of" : "behind");
	}

	private String consequence() {
		if (this.server != null && this.server.writable()) {
			return "Leases are judged by it now, and step by that when another server is elected";
		}
		return (this.offset > 0)
				? "Once it is elected, leases end that much sooner: locks with a shorter margin may then have two "
						+ "holders until their next renewal, which only the fence tells apart"
				: "Once it is elected, locks of holders that died are taken over later by that";
	}

	/**
	 * What was found.
	 */
	enum Kind {

		SERVER_OFF, SERVER_RIGHT, HERE_OFF, HERE_RIGHT

	}

}
