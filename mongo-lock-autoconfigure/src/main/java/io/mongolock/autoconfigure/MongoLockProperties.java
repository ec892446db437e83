package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.ClientOptions.OnDeadlock;
import io.mongolock.interceptor.check.LockVerification;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.TtlIndexInitializer;

/**
 * Settings of distributed locks.
 *
 * @param enabled whether locked methods and LockOperations take their locks
 * @param collection MongoDB collection of the locks
 * @param keyPrefix prefix of every key, so that several applications can share one
 * collection
 * @param ttl how long a lease lasts without renewal; after its holder died, a lock stays
 * taken at most this long
 * @param margin time at the end of a lease during which the holder no longer relies on
 * the lock; 20 % of the ttl unless set
 * @param renewInterval time between two renewals of a lease; by default 1 second, or
 * longer with a long ttl or many leases
 * @param operationTimeout longest time for one request to MongoDB; by default 3 seconds,
 * or less for a short ttl
 * @param waitTimeout how long a claim waits for a lock that another holds
 * @param retryInterval polling interval without a change stream; the n-th waiter's
 * interval is n times as long, at most place-ttl / 3
 * @param autoRenew whether leases are renewed while they are held
 * @param linger how long this instance keeps an unused lease for its own next claim; 0 to
 * keep none
 * @param locks settings for locks, by name
 * @param ttlIndex index that removes documents of locks nobody asked for any more
 * @param placeTtl how long a dead JVM can delay the other waiters in the queue of a lock
 * @param maxPlaces how many instances may wait in the queue of a lock; further instances
 * are denied at once
 * @param shutdownTimeout how long a stopping application waits for holders after its
 * other beans have stopped; then the holders lose their locks
 * @param mongoTemplate name of the MongoTemplate or MongoDatabaseFactory bean for the
 * locks, if there are several
 * @param advisorOrder order of the AOP advisor that takes the lock; lower values run
 * first
 * @param unavailableHandler name of the default LockUnavailableHandler bean, for methods
 * without SKIP, fallback or handler
 * @param leakDetection what to do if a lock's handle is garbage-collected without having
 * been closed
 * @param onDeadlock what to do about callers that wait for each other's locks
 * @param notifications whether a change stream wakes waiting claims; without a stream,
 * claims poll at their retry interval
 * @param handOver handing locks on within one application, with no request to MongoDB
 * @param verification what to do if no proxy reaches a locked method, so that it would
 * run without its lock
 * @param web answers to callers over HTTP
 * @param observation observations of locks
 */
@ConfigurationProperties("mongo-lock")
public record MongoLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("locks") String collection,
		@DefaultValue("") String keyPrefix, @Nullable Duration ttl, @Nullable Duration margin,
		@Nullable Duration renewInterval, @Nullable Duration operationTimeout, @Nullable Duration waitTimeout,
		@Nullable Duration retryInterval, @Nullable Boolean autoRenew, @Nullable Duration linger,
		@DefaultValue Map<String, NamedLock> locks, @DefaultValue TtlIndex ttlIndex,
		@DefaultValue("6s") Duration placeTtl, @DefaultValue("10000") int maxPlaces,
		@DefaultValue("5s") Duration shutdownTimeout, @Nullable String mongoTemplate,
		@DefaultValue("2147483646") int advisorOrder, @Nullable String unavailableHandler,
		@DefaultValue("warn") LeakDetection leakDetection, @DefaultValue("warn") OnDeadlock onDeadlock,
		@DefaultValue("auto") Notifications notifications, @DefaultValue HandOver handOver,
		@DefaultValue("fail") LockVerification verification, @DefaultValue Web web,
		@DefaultValue Observation observation) {

	static final String PREFIX = "mongo-lock";

	/**
	 * The settings of all locks.
	 */
	LockSettings settings() {
		return new NamedLock(this.ttl, this.margin, this.renewInterval, this.operationTimeout, this.waitTimeout,
				this.retryInterval, this.autoRenew, null, null, this.linger)
			.settings();
	}

	/**
	 * The settings of the locks of one name, by names.
	 */
	Map<String, LockSettings> settingsByName() {
		Map<String, LockSettings> settings = new HashMap<>();
		for (Map.Entry<String, NamedLock> lock : this.locks.entrySet()) {
			settings.put(lock.getKey(), lock.getValue().settings());
		}
		return settings;
	}

	/**
	 * Settings for the locks of one name, which win over those for all locks.
	 *
	 * @param ttl how long a lease lasts without renewal
	 * @param margin time at the end of a lease in which its holder no longer relies on it
	 * @param renewInterval time between renewals of a lease
	 * @param operationTimeout longest time that one request to MongoDB may take
	 * @param waitTimeout how long a claim waits for a lock that another holds
	 * @param retryInterval polling interval without a change stream; the n-th waiter's
	 * interval is n times as long, at most place-ttl / 3
	 * @param autoRenew whether leases are renewed while they are held
	 * @param limit how many may hold a lock together, 1 unless set
	 * @param minHold how long a lock stays taken at least, from its grant on
	 * @param linger how long this instance keeps a lease that it no longer uses, for its
	 * next claim
	 */
	public record NamedLock(@Nullable Duration ttl, @Nullable Duration margin, @Nullable Duration renewInterval,
			@Nullable Duration operationTimeout, @Nullable Duration waitTimeout, @Nullable Duration retryInterval,
			@Nullable Boolean autoRenew, @Nullable Integer limit, @Nullable Duration minHold,
			@Nullable Duration linger) {

		LockSettings settings() {
			return LockSettings.builder()
				.ttl(this.ttl)
				.margin(this.margin)
				.renewInterval(this.renewInterval)
				.operationTimeout(this.operationTimeout)
				.waitTimeout(this.waitTimeout)
				.retryInterval(this.retryInterval)
				.autoRenew(this.autoRenew)
				.limit(this.limit)
				.minHold(this.minHold)
				.linger(this.linger)
				.build();
		}

	}

	/**
	 * Handing locks on within one application, with no request to MongoDB.
	 *
	 * @param maxTime how long after its grant a lock may be handed on between threads of
	 * one JVM; 0 for never
	 * @param maxCount how many times a granted lock may be handed on between threads of
	 * one JVM, from 0 (never) to 10000
	 */
	public record HandOver(@DefaultValue("250ms") Duration maxTime, @DefaultValue("1000") int maxCount) {

	}

	/**
	 * Observations of locks.
	 *
	 * @param showKeys whether traces show the keys of locks; meters never show them
	 */
	public record Observation(@DefaultValue("false") boolean showKeys) {

	}

	/**
	 * Answers to callers over HTTP.
	 *
	 * @param problemDetails whether HTTP callers get 409 for a held lock, and 503 for a
	 * MongoDB error or a shutdown
	 */
	public record Web(@DefaultValue("false") boolean problemDetails) {

	}

	/**
	 * Index that removes documents of locks nobody asked for any more.
	 *
	 * @param mode whether to create the TTL index, only warn if it is missing, or do
	 * nothing
	 * @param retention how long a lock's document stays after its last use; at least
	 * twice the longest ttl
	 */
	public record TtlIndex(@DefaultValue("create") TtlIndexInitializer.Mode mode,
			@DefaultValue("7d") Duration retention) {

	}

}
