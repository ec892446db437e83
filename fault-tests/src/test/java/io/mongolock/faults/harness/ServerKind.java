package io.mongolock.faults.harness;

import org.bson.Document;

/**
 * What stands behind a connection string.
 */
public enum ServerKind {

	STANDALONE("standalone server"), REPLICA_SET("replica set"), SHARDED("sharded cluster through a mongos");

	private final String text;

	ServerKind(String text) {
		this.text = text;
	}

	static ServerKind of(Document hello) {
		if ("isdbgrid".equals(hello.getString("msg"))) {
			return SHARDED;
		}
		return (hello.containsKey("setName")) ? REPLICA_SET : STANDALONE;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
