package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.mongolock.LockClock;

/**
 * A scripted replica set and its clients in this JVM. Not thread-safe.
 */
public final class ReplicaSetHarness implements AutoCloseable {

	private final ScriptedSet set = new ScriptedSet();

	private final List<HarnessClient> clients = new ArrayList<>();

	public ScriptedSet set() {
		return this.set;
	}

	// Knows all members, and asks the newest primary that it sees
	public HarnessClient client(Duration ttl, Duration wait) {
		return client(this.set.connectionString(), ttl, wait);
	}

	// On the side of one member, the primary, to which it stays whatever happens
	public HarnessClient clientOf(SetMember member, Duration ttl, Duration wait) {
		return client(member.connectionString(), ttl, wait);
	}

	public HarnessClient client(String connectionString, Duration ttl, Duration wait) {
		HarnessClient client = HarnessClient.ofSet(connectionString, HarnessClient.settings(ttl, wait),
				LockClock.system());
		this.clients.add(client);
		return client.warm();
	}

	@Override
	public void close() {
		// Held locks are then released at once
		this.set.heal();
		this.clients.forEach(HarnessClient::close);
		this.set.close();
	}

}
