package io.mongolock.store.mongo;

/**
 * A server's clock differs from the others', or agrees with them again.
 *
 * @param server the server whose clock was judged
 * @param reference the server it was compared with
 * @param offset how far the clock is ahead, in milliseconds, negative if it is behind
 * @param off whether the clock differs by more than the tolerance
 */
record ServerClockFinding(Heartbeat server, Heartbeat reference, long offset, boolean off) {

	String describe(long tolerated) {
		String clock = "The clock of MongoDB server " + this.server.server();
		if (!this.off) {
			return clock + " agrees with the other servers' clocks again";
		}
		return clock + " is " + Math.abs(this.offset) + " ms " + ((this.offset > 0) ? "ahead of" : "behind")
				+ " the clock of " + this.reference.server() + ", which agrees with most servers' clocks. Up to "
				+ tolerated + " ms are tolerated. " + consequence()
				+ ". Set the clock right (NTP) before the next election";
	}

	private String consequence() {
		String difference = Math.abs(this.offset) + " ms";
		if (this.server.writable()) {
			return "This clock now decides when leases end. If another server is elected, the clock for leases jumps "
					+ "by " + difference;
		}
		return (this.offset > 0)
				? "If this server is elected, leases end " + difference + " earlier. If this difference exceeds the "
						+ "margin, a lock may have two holders until the next renewal. Only the fence tells the two "
						+ "holders apart"
				: "If this server is elected, callers wait " + difference + " longer for the locks of dead holders";
	}

}
