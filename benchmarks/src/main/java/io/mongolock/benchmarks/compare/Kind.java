package io.mongolock.benchmarks.compare;

import java.time.Duration;

/**
 * The locks that are compared.
 */
enum Kind {

	/** No lock at all: what the work alone allows. */
	NONE("no lock", false),

	/** What excludes threads of this JVM alone: what no lock that is fair can outdo. */
	IN_JVM("ReentrantLock, fair, of the JVM", false),

	/** Ours. */
	MONGO_LOCK("mongo-lock", false),

	/** ShedLock with short pauses. */
	SHEDLOCK_10("ShedLock 7.9, retried within 10 ms", false),

	/** ShedLock with long pauses. */
	SHEDLOCK_100("ShedLock 7.9, retried within 100 ms", false),

	/** Redisson. */
	REDISSON("Redisson 4.7", true);

	private final String title;

	private final boolean redis;

	Kind(String title, boolean redis) {
		this.title = title;
		this.redis = redis;
	}

	String title() {
		return this.title;
	}

	boolean asksServer() {
		return this != NONE && this != IN_JVM;
	}

	boolean onRedis() {
		return this.redis;
	}

	/**
	 * Connect.
	 */
	Competitor connect(String uri) {
		return switch (this) {
			case NONE -> new NoLock();
			case IN_JVM -> new InJvm();
			case MONGO_LOCK -> new MongoLock(uri);
			case SHEDLOCK_10 -> new ShedLock(uri, Duration.ofMillis(10));
			case SHEDLOCK_100 -> new ShedLock(uri, Duration.ofMillis(100));
			case REDISSON -> new RedissonLock(uri);
		};
	}

}
