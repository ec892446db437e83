package io.mongolock.store;

import java.time.Duration;
import java.util.List;
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
		return Claim.of(new LeaseId(key, token), OWNER, Duration.ofMinutes(1));
	}

	public static Claim shared(String key) {
		return limit(on(key), Integer.MAX_VALUE);
	}

	public static Claim limit(Claim claim, int limit) {
		return claim.withLimit(limit);
	}

	public static Claim reserve(Claim claim, int reserve) {
		return new Claim(claim.id(), claim.limit(), reserve, claim.placeTtl(), claim.owner(), claim.ttl(),
				claim.first(), claim.linger());
	}

	public static Claim first(Claim claim) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.placeTtl(), claim.owner(), claim.ttl(), true,
				claim.linger());
	}

	public static Claim waiting(Claim claim) {
		return waiting(claim, claim.ttl());
	}

	public static Claim waiting(Claim claim, Duration placeTtl) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), placeTtl, claim.owner(), claim.ttl(),
				claim.first(), claim.linger());
	}

	public static Claim lingering(Claim claim, Duration linger) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.placeTtl(), claim.owner(), claim.ttl(),
				claim.first(), linger);
	}

	public static Claim owner(Claim claim, LockOwner owner) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.placeTtl(), owner, claim.ttl(),
				claim.first(), claim.linger());
	}

	public static Claim holding(Claim claim, GrantId... holds) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.placeTtl(), claim.owner(), claim.ttl(),
				claim.first(), claim.linger(), List.of(holds));
	}

	public static Claim ttl(Claim claim, Duration ttl) {
		return new Claim(claim.id(), claim.limit(), claim.reserve(), claim.placeTtl(), claim.owner(), ttl,
				claim.first(), claim.linger());
	}

}
