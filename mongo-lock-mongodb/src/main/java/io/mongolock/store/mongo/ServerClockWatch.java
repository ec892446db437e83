package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ServerDescription;
import com.mongodb.event.ClusterDescriptionChangedEvent;
import com.mongodb.event.ClusterListener;
import com.mongodb.event.ServerClosedEvent;
import com.mongodb.event.ServerHeartbeatFailedEvent;
import com.mongodb.event.ServerHeartbeatSucceededEvent;
import com.mongodb.event.ServerListener;
import com.mongodb.event.ServerMonitorListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.store.StoreServers;

/**
 * Reads each server's time from the answers to the driver's heartbeats. Reports a clock
 * that is off by more than the shortest margin, or by more than a second if that is less,
 * once per server and change. So operators learn of it before such a server is elected
 * and judges leases by that clock. Also notices elections, once the driver sends to the
 * new primary. Thread-safe; the election is guarded by the monitor.
 */
public final class ServerClockWatch implements StoreServers, ServerMonitorListener, ServerListener, ClusterListener {

	private static final Log logger = LogFactory.getLog(ServerClockWatch.class);

	private static final Duration MAX_TOLERATED = Duration.ofSeconds(1);

	private final LockClock clock;

	private final long tolerated;

	private final ServerClockComparison clocks;

	private final Map<String, Long> roundTrips = new ConcurrentHashMap<>();

	private final List<BiConsumer<String, Duration>> listeners = new CopyOnWriteArrayList<>();

	private final List<Runnable> ofElections = new CopyOnWriteArrayList<>();

	/** Zero for no limit. */
	private volatile int connections;

	/** The latest election that a primary named. */
	private @Nullable ObjectId election;

	/**
	 * Create a new watch.
	 * @param margin the shortest margin of a lock; the tolerance is this margin, or one
	 * second if that is less
	 */
	public ServerClockWatch(LockClock clock, Duration margin) {
		this.clock = clock;
		this.tolerated = Math.min(margin.toMillis(), MAX_TOLERATED.toMillis());
		this.clocks = new ServerClockComparison(this.tolerated);
	}

	/**
	 * Listen to the servers of a client.
	 */
	public void attachTo(MongoClientSettings.Builder settings) {
		settings.applyToServerSettings((server) -> server.addServerMonitorListener(this).addServerListener(this))
			.applyToClusterSettings((cluster) -> cluster.addClusterListener(this))
			.applyToConnectionPoolSettings((pool) -> this.connections = pool.build().getMaxSize());
	}

	@Override
	public int connections() {
		int most = this.connections;
		return (most > 0) ? most : Integer.MAX_VALUE;
	}

	@Override
	public Optional<String> primaryAddress() {
		List<String> writable = this.clocks.writable();
		return (writable.size() == 1) ? Optional.of(writable.get(0)) : Optional.empty();
	}

	@Override
	public void onClockOff(BiConsumer<String, Duration> listener) {
		this.listeners.add(listener);
		for (Map.Entry<String, Long> off : this.clocks.reported().entrySet()) {
			listener.accept(off.getKey(), Duration.ofMillis(off.getValue()));
		}
	}

	@Override
	public void onPrimaryChange(Runnable listener) {
		this.ofElections.add(listener);
	}

	/**
	 * Notices a new primary, and members that were removed. The new primary's heartbeat
	 * comes earlier, but then a request might still be sent to the old primary.
	 */
	@Override
	public void clusterDescriptionChanged(ClusterDescriptionChangedEvent event) {
		Set<String> members = addresses(event.getNewDescription());
		if (!members.isEmpty()) { // none if the client is closing
			Set<String> gone = addresses(event.getPreviousDescription());
			gone.removeAll(members);
			for (String server : this.clocks.removed(gone)) {
				report(server, Duration.ZERO);
			}
		}
		for (ServerDescription server : event.getNewDescription().getServerDescriptions()) {
			ObjectId election = server.getElectionId();
			if (server.isPrimary() && election != null && isElectedAnew(election)) {
				for (Runnable listener : this.ofElections) {
					listener.run();
				}
			}
		}
	}

	private static Set<String> addresses(ClusterDescription cluster) {
		Set<String> addresses = new TreeSet<>();
		for (ServerDescription server : cluster.getServerDescriptions()) {
			addresses.add(server.getAddress().toString());
		}
		return addresses;
	}

	@Override
	public void serverHeartbeatSucceeded(ServerHeartbeatSucceededEvent event) {
		BsonDocument reply = event.getReply();
		if (reply.isDateTime("localTime") && !isTrue(reply, "arbiterOnly")) {
			String server = event.getConnectionId().getServerId().getAddress().toString();
			long offset = reply.getDateTime("localTime").getValue() - this.clock.currentTimeMillis();
			if (!event.isAwaited()) {
				// Awaited heartbeats are answered only when the server has news, or after
				// some seconds
				this.roundTrips.put(server, event.getElapsedTime(TimeUnit.MILLISECONDS));
			}
			for (ServerClockFinding finding : this.clocks
				.heard(new Heartbeat(server, isWritable(reply), offset, this.roundTrips.getOrDefault(server, 0L)))) {
				report(finding);
			}
		}
	}

	@Override
	public void serverHeartbeatFailed(ServerHeartbeatFailedEvent event) {
		lost(event.getConnectionId().getServerId().getAddress());
	}

	@Override
	public void serverClosed(ServerClosedEvent event) {
		lost(event.getServerId().getAddress());
	}

	private void lost(ServerAddress address) {
		this.clocks.lost(address.toString());
		this.roundTrips.remove(address.toString());
	}

	private void report(ServerClockFinding finding) {
		if (finding.off()) {
			logger.warn(finding.describe(this.tolerated));
		}
		else {
			logger.info(finding.describe(this.tolerated));
		}
		report(finding.server().server(), (finding.off()) ? Duration.ofMillis(finding.offset()) : Duration.ZERO);
	}

	private void report(String server, Duration offset) {
		this.listeners.forEach((listener) -> listener.accept(server, offset));
	}

	// Election ids rise: an old primary that still believes in its role names an earlier
	// one. The first id may belong to a later election, because the watch may be attached
	// after elections
	private synchronized boolean isElectedAnew(ObjectId election) {
		if (this.election != null && election.compareTo(this.election) <= 0) {
			return false;
		}
		this.election = election;
		return true;
	}

	private static boolean isWritable(BsonDocument reply) {
		return isTrue(reply, "isWritablePrimary") || isTrue(reply, "ismaster");
	}

	private static boolean isTrue(BsonDocument reply, String field) {
		return BsonBoolean.TRUE.equals(reply.get(field));
	}

}
