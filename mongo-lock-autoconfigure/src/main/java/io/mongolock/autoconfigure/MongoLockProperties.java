package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.mongolock.LockSettings;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.interceptor.check.LockVerification;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.TtlIndexInitializer;

/**
 * Settings of distributed locks.
 *
 * @param enabled whether locks are taken; if not, methods and requests run without them
 * @param collection name of the MongoDB collection that holds the locks
 * @param keyPrefix put in front of every key, to let several applications share one
 * collection
 * @param ttl how long a lease lasts without renewal: the longest time a lock stays taken
 * after its holder died
 * @param margin time before the end of a lease at which its holder stops relying on it;
 * 20 % of the ttl unless set
 * @param renewInterval time between renewals of a lease, at most a third of ttl - margin;
 * by default 1 second, more with a longer ttl or many leases
 * @param operationTimeout longest time that one request to MongoDB may take; 3 seconds,
 * or less for a short ttl
 * @param waitTimeout how long to wait for a lock that another holds
 * @param retryInterval polling interval of the first waiter where no change stream is
 * available; the n-th waiter polls n times as rarely
 * @param autoRenew whether leases are renewed while they are held
 * @param linger how long this instance keeps a lease that it no longer uses, for its next
 * claim; 0 for not at all
 * @param locks settings for the locks of one name, which win over those for all locks
 * @param ttlIndex index that removes documents of locks nobody asked for any more
 * @param placeTtl how long a place in the queue holds up others after its JVM died;
 * refreshed every third of that
 * @param maxPlaces how many instances may wait for a lock in its queue; one more is
 * denied at once
 * @param shutdownTimeout how long a shutdown, after all other beans have stopped, waits
 * for locks in use before it cuts them off
 * @param mongoTemplate name of the MongoTemplate or MongoDatabaseFactory bean of the
 * locks, if there are several
 * @param advisorOrder order of the lock's AOP advisor; a lower value runs earlier,
 * further outside
 * @param unavailableHandler default LockUnavailableHandler bean, for methods without
 * SKIP, fallback or handler of their own
 * @param leakDetection what to do about a lock whose handle is garbage-collected without
 * being closed
 * @param notifications whether a change stream wakes waiting claims; without one they
 * look again after their retry interval
 * @param handOver handing locks on within one application, with no request to MongoDB
 * @param verification what to do about methods that no proxy reaches, which would run
 * without their lock
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
		@DefaultValue("warn") LeakDetection leakDetection, @DefaultValue("auto") Notifications notifications,
		@DefaultValue HandOver handOver, @DefaultValue("fail") LockVerification verification, @DefaultValue Web web,
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
		return this.locks.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (lock) -> lock.getValue().settings()));
	}

	/**
	 * Settings for the locks of one name, which win over those for all locks.
	 *
	 * @param ttl how long a lease lasts without renewal
	 * @param margin time before the end of a lease at which its holder stops relying on
	 * it
	 * @param renewInterval time between renewals of a lease
	 * @param operationTimeout longest time that one request to MongoDB may take
	 * @param waitTimeout how long to wait for a lock that another holds
	 * @param retryInterval polling interval of the first waiter where no change stream is
	 * available; the n-th waiter polls n times as rarely
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
	 * @param maxTime how long a lock may be handed on in this JVM, from its grant; 0 for
	 * never
	 * @param maxCount how often a lock may be handed on after its grant, at most 10000; 0
	 * for never
	 */
	public record HandOver(@DefaultValue("250ms") Duration maxTime, @DefaultValue("1000") int maxCount) {

	}

	/**
	 * Observations of locks.
	 *
	 * @param showKeys whether traces show the keys of locks; meters never do
	 */
	public record Observation(@DefaultValue("false") boolean showKeys) {

	}

	/**
	 * Answers to callers over HTTP.
	 *
	 * @param problemDetails whether a held lock is answered with 409, a store in trouble
	 * and a stop with 503
	 */
	public record Web(@DefaultValue("false") boolean problemDetails) {

	}

	/**
	 * Index that removes documents of locks nobody asked for any more.
	 *
	 * @param mode what to do about the TTL index: create it, only warn if it is missing,
	 * or nothing
	 * @param retention how long a document stays after it was last touched; at least
	 * twice the longest ttl
	 */
	public record TtlIndex(@DefaultValue("create") TtlIndexInitializer.Mode mode,
			@DefaultValue("7d") Duration retention) {

	}

}
