package io.mongolock.store;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The access of the parts of the contract to the store under test.
 */
interface LockStoreContract {

	Duration TIMEOUT = Duration.ofSeconds(20);

	/**
	 * The store, without any lock.
	 */
	LockStore store();

	/**
	 * Let the store's time pass.
	 */
	void elapse(Duration duration);

	/**
	 * Remove a lock altogether, like the TTL index.
	 */
	void delete(String key);

	/**
	 * A ttl that a test can afford to let pass, in a multiple of 100 ms.
	 */
	default Duration shortTtl() {
		return Duration.ofSeconds(10);
	}

	default ClaimAnswer ask(Claim claim) {
		return store().acquire(claim, TIMEOUT);
	}

	default StoredHolder grant(Claim claim) {
		ClaimAnswer answer = ask(claim);
		assertThat(answer.grantTo(claim.id().leaseToken())).as("grant of %s in %s", claim, answer).isPresent();
		return answer.grantTo(claim.id().leaseToken()).orElseThrow();
	}

	default ClaimAnswer deny(Claim claim) {
		ClaimAnswer answer = ask(claim);
		assertThat(answer.grantTo(claim.id().leaseToken())).as("grant of %s in %s", claim, answer).isEmpty();
		return answer;
	}

	default boolean renew(Claim claim) {
		return store().renew(claim.id(), TIMEOUT);
	}

	default boolean release(Claim claim) {
		return store().release(claim.id(), TIMEOUT).ended();
	}

	default boolean releaseGrant(Claim claim, StoredHolder granted) {
		return store().releaseGrant(claim.id(), granted.fence(), TIMEOUT);
	}

	default boolean leave(Claim claim) {
		return store().leave(claim.id(), TIMEOUT);
	}

	default StoredLock find(String key) {
		return store().find(key, TIMEOUT).orElseThrow();
	}

	/**
	 * A lease that has run out, and nobody has come.
	 */
	default Claim lapsed(String key) {
		Claim claim = Claims.ttl(Claims.on(key), shortTtl());
		grant(claim);
		elapse(shortTtl());
		return claim;
	}

}
