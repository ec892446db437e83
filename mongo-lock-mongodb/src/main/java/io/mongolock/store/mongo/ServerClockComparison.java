package io.mongolock.store.mongo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Decides whose clock is off, by comparing the servers' heartbeats with each other. A
 * heartbeat is read late if this process stood still. Therefore a clock counts only when
 * its last two heartbeats agree. Clocks are compared only when the last heartbeat of each
 * came after the last but one of all the others. A clock that was off agrees again once
 * it is within half of the tolerance. Thread-safe.
 */
final class ServerClockComparison {

	private final long tolerated;

	private final Map<String, Server> servers = new TreeMap<>();

	private final Map<String, Long> reported = new TreeMap<>();

	private long heard;

	/**
	 * Create a new comparison.
	 * @param tolerated by how much the clocks of servers may differ, in milliseconds
	 */
	ServerClockComparison(long tolerated) {
		this.tolerated = tolerated;
	}

	/**
	 * Take in a heartbeat.
	 */
	synchronized List<ServerClockFinding> heard(Heartbeat beat) {
		Server before = this.servers.get(beat.server());
		this.servers.put(beat.server(), new Server(beat, ++this.heard, (before != null) ? before.beat() : null,
				(before != null) ? before.heard() : 0));
		return judge();
	}

	/**
	 * A server is not heard any more. Unless it is removed, its finding is not reported
	 * again when it comes back with the same clock.
	 */
	synchronized void lost(String server) {
		this.servers.remove(server);
	}

	/**
	 * The servers that take writes.
	 */
	synchronized List<String> writable() {
		return this.servers.values()
			.stream()
			.map(Server::beat)
			.filter(Heartbeat::writable)
			.map(Heartbeat::server)
			.toList();
	}

	/**
	 * The servers whose clocks were reported as off.
	 * @return by how much, in milliseconds, by address
	 */
	synchronized Map<String, Long> reported() {
		return Map.copyOf(this.reported);
	}

	/**
	 * Forget servers that are no longer members.
	 * @return the addresses whose clocks were reported as off
	 */
	synchronized List<String> removed(Set<String> servers) {
		List<String> off = new ArrayList<>();
		for (String server : servers) {
			if (this.reported.remove(server) != null) {
				off.add(server);
			}
		}
		return off;
	}

	private List<ServerClockFinding> judge() {
		for (Server server : this.servers.values()) {
			if (server.before() == null) {
				// Wait for all: if two of three clocks differ, we cannot know which is
				// right
				return List.of();
			}
		}
		List<Server> settled = this.servers.values()
			.stream()
			.filter((server) -> server.isSettled(this.tolerated))
			.sorted(Comparator.comparingLong(Server::offset))
			.toList();
		if (settled.isEmpty() || !areComparable(settled)) {
			return List.of();
		}
		List<ServerClockFinding> findings = new ArrayList<>();
		Server reference = reference(settled);
		settled.forEach((server) -> judge(server, reference, findings));
		return findings;
	}

	private static boolean areComparable(List<Server> servers) {
		long lastButOne = servers.stream().mapToLong(Server::heardBefore).max().orElse(0);
		return servers.stream().allMatch((server) -> server.heard() > lastButOne);
	}

	// The clock in the middle; of two in the middle, the clock of the server that takes
	// writes
	private static Server reference(List<Server> byOffset) {
		Server upper = byOffset.get(byOffset.size() / 2);
		Server lower = byOffset.get((byOffset.size() - 1) / 2);
		return (upper.beat().writable()) ? upper : lower;
	}

	private void judge(Server server, Server reference, List<ServerClockFinding> findings) {
		String name = server.beat().server();
		long offset = server.offset() - reference.offset();
		long off = Math.abs(offset) - server.beat().roundTrip() - reference.beat().roundTrip();
		Long before = this.reported.get(name);
		if (off > this.tolerated && (before == null || Math.abs(offset - before) > this.tolerated)) {
			this.reported.put(name, offset);
			findings.add(new ServerClockFinding(server.beat(), reference.beat(), offset, true));
		}
		else if (before != null && Math.abs(offset) <= this.tolerated / 2) {
			this.reported.remove(name);
			findings.add(new ServerClockFinding(server.beat(), reference.beat(), offset, false));
		}
	}

	private record Server(Heartbeat beat, long heard, @Nullable Heartbeat before, long heardBefore) {

		boolean isSettled(long tolerated) {
			return this.before != null && Math.abs(this.beat.offset() - this.before.offset()) <= tolerated / 2;
		}

		// The higher offset is from the answer that took less time
		long offset() {
			return (this.before != null) ? Math.max(this.beat.offset(), this.before.offset()) : this.beat.offset();
		}

	}

}
