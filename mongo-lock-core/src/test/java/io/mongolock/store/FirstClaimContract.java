package io.mongolock.store;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first request of a token, for which a store may ask less, gets what any other
 * would.
 */
interface FirstClaimContract extends LockStoreContract {

	@ParameterizedTest
	@ValueSource(ints = { 0, 64 })
	default void aFirstClaimIsGrantedALockThatNobodyEverAskedFor(int reserve) {
		Claim claim = Claims.first(Claims.reserve(Claims.on("key"), reserve));
		ClaimAnswer answer = ask(claim);
		StoredHolder holder = answer.grantTo(claim.id().leaseToken()).orElseThrow();
		assertThat(answer.lock().holders()).containsExactly(holder);
		assertThat(answer.lock().previous()).isEmpty();
		assertThat(holder)
			.isEqualTo(new StoredHolder(claim.id().leaseToken(), answer.lock().now().toEpochMilli() * 1024, 1,
					Claims.OWNER, answer.lock().now(), answer.lock().now(), claim.ttl()));
		assertThat(find("key").fence()).as("nothing set aside").isEqualTo(holder.fence());
		assertThat(answer.setAside(holder)).isZero();
		assertThat(find("key").queue()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	default void fencesAreSetAsideBelowTheClock(boolean first) {
		Claim before = Claims.on("key");
		long fence = grant(before).fence();
		release(before);
		elapse(Duration.ofMillis(100));
		Claim claim = Claims.reserve(Claims.on("key"), 64);
		ClaimAnswer answer = ask((first) ? Claims.first(claim) : claim);
		StoredHolder holder = answer.grantTo(claim.id().leaseToken()).orElseThrow();
		assertThat(holder.fence()).isEqualTo(answer.lock().now().toEpochMilli() * 1024 - 64).isGreaterThan(fence);
		assertThat(answer.setAside(holder)).isEqualTo(64);
		assertThat(find("key").fence()).isEqualTo(answer.lock().now().toEpochMilli() * 1024);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	default void noMoreFencesAreSetAsideThanThereIsRoomBelowTheClock(boolean first) {
		Claim before = Claims.on("key");
		long fence = grant(before).fence();
		release(before);
		Claim claim = Claims.reserve(Claims.on("key"), Integer.MAX_VALUE);
		ClaimAnswer answer = ask((first) ? Claims.first(claim) : claim);
		StoredHolder holder = answer.grantTo(claim.id().leaseToken()).orElseThrow();
		assertThat(holder.fence()).isEqualTo(fence + 1);
		assertThat(holder.fence() + answer.setAside(holder))
			.isEqualTo(Math.max(fence + 1, answer.lock().now().toEpochMilli() * 1024));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, Integer.MAX_VALUE })
	default void aFirstClaimIsDeniedByAnyHolderAndChangesNothing(int limit) {
		StoredHolder holder = grant(Claims.limit(Claims.on("key"), limit));
		StoredLock before = find("key");
		ClaimAnswer denied = deny(Claims.first(Claims.on("key")));
		assertThat(denied.lock().holders()).containsExactly(holder);
		assertThat(find("key")).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);
	}

	@Test
	default void aFirstClaimIsDeniedWhileSomebodyStandsInQueue() {
		Claim holder = Claims.on("key");
		grant(holder);
		deny(Claims.waiting(Claims.on("key")));
		release(holder);
		deny(Claims.first(Claims.on("key")));
		assertThat(find("key").queue()).hasSize(1);
	}

	@Test
	default void aFirstClaimTakesOverAnExpiredLeaseAndNamesItsHolder() {
		StoredHolder lapsed = grant(Claims.ttl(Claims.on("key"), shortTtl()));
		deny(Claims.waiting(Claims.ttl(Claims.on("key"), shortTtl())));
		elapse(shortTtl());
		Claim claim = Claims.first(Claims.on("key"));
		ClaimAnswer answer = ask(claim);
		StoredHolder granted = answer.grantTo(claim.id().leaseToken()).orElseThrow();
		assertThat(granted.fence()).isGreaterThan(lapsed.fence());
		assertThat(answer.lock().previous()).containsExactly(lapsed);
		assertThat(answer.lapsedBefore(granted)).hasSize(1);
	}

	@Test
	default void leasesOfDifferentLengthThatAllRanOutDenyNoFirstClaim() {
		grant(Claims.limit(Claims.ttl(Claims.on("key"), shortTtl().multipliedBy(2)), 2));
		elapse(shortTtl());
		grant(Claims.limit(Claims.ttl(Claims.on("key"), shortTtl()), 2));
		elapse(shortTtl());
		grant(Claims.first(Claims.on("key")));
	}

	@Test
	default void aFirstClaimThatIsNotExclusiveIsCountedAsAnyOther() {
		grant(Claims.limit(Claims.on("key"), 2));
		grant(Claims.first(Claims.limit(Claims.on("key"), 2)));
		deny(Claims.first(Claims.limit(Claims.on("key"), 2)));
	}

	@Test
	default void aFirstClaimThatWaitsEntersTheQueue() {
		grant(Claims.on("key"));
		deny(Claims.first(Claims.waiting(Claims.on("key"))));
		assertThat(find("key").queue()).hasSize(1);
	}

	@Test
	default void aRepetitionOfAFirstClaimBeginsItsLeaseAnew() {
		Claim claim = Claims.on("key");
		StoredHolder first = grant(Claims.first(claim));
		elapse(Duration.ofMillis(100));
		StoredHolder again = grant(claim);
		assertThat(again.fence()).isEqualTo(first.fence());
		assertThat(again.renewedAt()).isAfterOrEqualTo(first.renewedAt().plusMillis(100));
	}

}
