package io.mongolock.store;

import java.time.Duration;
import java.util.UUID;

import io.mongolock.LockOwner;

/**
 * Claims for tests: exclusive, for a minute, by an attempt of their own.
 */
public final class Claims {

	public static final LockOwner OWNER = new LockOwner("shop", "shop-1", "host-1", 4711, "main");

	private Claims() {
	}

	public static Claim on(String key) {
		return on(key, UUID.randomUUID().toString().replace("-", ""));
	}

	public static Claim on(String key, String token) {
		return new Claim(new LeaseId(key, token), 1, 0, false, OWNER, Duration.ofMinutes(1));
	}

	public static Claim shared(String key) {
		return limit(on(key), Integer.MAX_VALUE);
	}

	public static Claim limit(Claim claim, int limit) {
		return new Claim(claim.id(), limit, claim.reserve(), claim.waiting(), claim.owner(), claim.ttl());
	}

	public static Claim reserve(Claim claim, int reserve) {
		return new Claim(claim.id(), claim.limit(), reserve, claim.waiting(), claim.owner(), claim.ttl());
	}

	public static Claim waiting(Claim claim) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), true, claim.owner(), claim.ttl());
	}

	public static Claim owner(Claim claim, LockOwner owner) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.waiting(), owner, claim.ttl());
	}

	public static Claim ttl(Claim claim, Duration ttl) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.waiting(), claim.owner(), ttl);
	}

}
