package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import com.mongodb.MongoClientSettings;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonString;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.util.Assert;

import io.mongolock.LockClock;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.KeySpace;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.LockStore;
import io.mongolock.store.RecallListener;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredLock;
import io.mongolock.store.TimeLeft;

/**
 * {@link LockStore} in a MongoDB collection, one document per key. Every method is one
 * command on the primary. Grants and renewals wait for the majority; releases and writes
 * to a place in the queue do not. Thread-safe.
 */
public final class MongoLockStore implements LockStore {

	private static final Duration STREAM_TIMEOUT = Duration.ofSeconds(6);

	/** For two streams, renewals, and the application's requests. */
	private static final int MIN_CONNECTIONS = 4;

	private static final Log logger = LogFactory.getLog(MongoLockStore.class);

	private final LockStatements statements = new LockStatements();

	private final AtomicBoolean saidFew = new AtomicBoolean();

	private final PrimaryCollection locks;

	private final KeySpace keys;

	private final TokenCommands leases;

	private final ClaimCommand claims;

	private final ReleaseCommand releases;

	private final ConfirmCommand confirmations;

	private final LockQueries looks;

	private final StoreServers servers;

	private final Notifications notifications;

	private final ChangeStreams releaseStreams;

	private final ChangeStreams recallStreams;

	/**
	 * Create a new store. It takes the collection from the template once, because
	 * renewals run on threads of their own. A factory that routes by thread would send
	 * them elsewhere.
	 * @param template a template that never joins a session or transaction of the caller:
	 * its session synchronization is {@code NEVER}
	 * @param keyPrefix the prefix of every stored key, may be empty
	 */
	public MongoLockStore(MongoOperations template, String collection, String keyPrefix) {
		this(template, collection, keyPrefix, StoreServers.UNKNOWN, Notifications.AUTO);
	}

	/**
	 * Create a new store that is informed about its servers.
	 * @param keyPrefix the prefix of every stored key, may be empty
	 */
	public MongoLockStore(MongoOperations template, String collection, String keyPrefix, StoreServers servers,
			Notifications notifications) {
		this.servers = servers;
		this.notifications = notifications;
		Assert.hasText(collection, "The name of the lock collection is empty");
		this.locks = new PrimaryCollection(template, collection);
		this.keys = new KeySpace(keyPrefix);
		this.leases = new TokenCommands(this.locks, this.statements, this::id);
		this.claims = new ClaimCommand(this.locks, this.statements);
		this.releases = new ReleaseCommand(this.locks, this.statements);
		this.confirmations = new ConfirmCommand(this.locks, this.statements);
		this.looks = new LockQueries(this.locks, this.statements, this.keys);
		this.releaseStreams = new ChangeStreams(this.locks, this.statements.releases(), STREAM_TIMEOUT,
				"waiters ask for a lock again after each retry-interval", LockClock.system());
		this.recallStreams = new ChangeStreams(this.locks, this.statements.recalls(), STREAM_TIMEOUT,
				"the linger of each idle lease counts from its grant", LockClock.system());
	}

	/**
	 * The types of clients of a database, and of their factories.
	 */
	public static List<Class<?>> clientTypes() {
		return List.of(MongoClient.class, MongoClientSettings.class);
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		StoreRequest request = StoreRequest.write("acquire lock", claim.id().key(), timeout);
		return this.claims.send(request, this.statements.byId(id(claim.id().key())), claim);
	}

	@Override
	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		return this.leases.renewAll(leases, notes, timeout);
	}

	@Override
	public ReleaseAnswer release(LeaseId lease, Duration timeout) {
		StoreRequest request = StoreRequest.write("release lock", lease.key(), timeout);
		return this.releases.send(request, this.statements.byId(id(lease.key())), lease.leaseToken());
	}

	@Override
	public void confirmReleases(Duration timeout) {
		if (this.notifications != Notifications.OFF) {
			this.confirmations.send(timeout);
		}
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return this.leases.releaseAll(leases, timeout);
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return this.leases.expireAll(leases, timeout);
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return this.leases.releaseGrant(lease, fence, timeout);
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return this.leases.requestRelease(lease, reason, by, timeout);
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return this.leases.leaveAll(claims, timeout);
	}

	@Override
	public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
		if (claims.size() == 1) {
			return this.looks.refresh(claims.get(0), timeout).stream().toList();
		}
		TimeLeft time = new TimeLeft(LockClock.system(), timeout);
		this.leases.refreshAll(claims, time.left());
		return lookAll(claims, time.left());
	}

	@Override
	public List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		return this.looks.lookAll(claims, timeout);
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return this.looks.findAll(keys, timeout);
	}

	@Override
	public List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		return this.looks.findQueues(keys, timeout);
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		return this.looks.find(key, timeout);
	}

	@Override
	public List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		return this.looks.list(prefix, after, most, timeout);
	}

	@Override
	public LockPage list(LockFilter filter, String after, int most, int scanned, Duration timeout) {
		return this.looks.list(filter, after, most, scanned, timeout);
	}

	@Override
	public StoreServers servers() {
		return this.servers;
	}

	@Override
	public StoreSubscription watchReleases(ReleaseListener listener) {
		return (mayStream()) ? FollowedStream.releases(this.releaseStreams, this.keys, listener)
				: StoreSubscription.NEVER_LIVE;
	}

	@Override
	public StoreSubscription watchRecalls(RecallListener listener) {
		return (mayStream()) ? FollowedStream.recalls(this.recallStreams, this.keys, listener)
				: StoreSubscription.NEVER_LIVE;
	}

	// Each stream occupies a connection, for which renewals and the application might
	// have to wait
	private boolean mayStream() {
		int connections = this.servers.connections();
		boolean few = this.notifications != Notifications.OFF && connections < MIN_CONNECTIONS;
		if (few && !this.saidFew.getAndSet(true)) {
			logger
				.info("The MongoClient has at most " + connections + " connections (maxPoolSize), so no connection is "
						+ "used for a change stream, and waiters ask for a lock again after each retry-interval. To "
						+ "get a change stream, set maxPoolSize to " + MIN_CONNECTIONS + " or more");
		}
		return this.notifications != Notifications.OFF && !few;
	}

	/**
	 * Write the document of a lock in a transaction of the application, if the document
	 * has the lease. A take-over meanwhile conflicts with this write.
	 * @throws IllegalStateException if the session belongs to another client than the
	 * locks
	 */
	public boolean touch(LeaseId lease, ClientSession session) {
		return this.locks.update(session, this.leases.held(lease), this.statements.touch()).getMatchedCount() != 0;
	}

	private BsonString id(String key) {
		return new BsonString(this.keys.toId(key));
	}

}
