package io.mongolock.test.embedded;

/**
 * The state that all databases of one server share.
 *
 * @param clock the server's clock
 * @param upsertRace the behaviour in an upsert race, and so the version
 * @param topology the kind of server
 */
record ServerState(ServerClock clock, UpsertRace upsertRace, Topology topology) {

	ServerState withTopology(Topology other) {
		return new ServerState(this.clock, this.upsertRace, other);
	}

	/**
	 * The time for one statement.
	 */
	StatementTime time() {
		return new StatementTime(this.clock.now(), this.topology.clusterTime());
	}

}
