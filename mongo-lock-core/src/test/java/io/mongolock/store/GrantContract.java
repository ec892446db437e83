package io.mongolock.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The grants of locks, the answers to claims, and the ends of leases.
 */
interface GrantContract extends LockStoreContract {

	@Test
	default void aFreeLockIsGranted() {
		Claim claim = Claims.on("key");
		ClaimAnswer answer = ask(claim);
		StoredHolder holder = answer.grantTo(claim.id().leaseToken()).orElseThrow();
		assertThat(answer.lock().holders()).containsExactly(holder);
		assertThat(answer.lock().previous()).isEmpty();
		assertThat(holder.owner()).isEqualTo(Claims.OWNER);
		assertThat(holder.limit()).isOne();
		assertThat(holder.ttl()).isEqualTo(claim.ttl());
		assertThat(holder.acquiredAt()).isEqualTo(holder.renewedAt()).isEqualTo(answer.lock().now());
		assertThat(holder.fence()).isEqualTo(answer.lock().now().toEpochMilli() * 1024).isLessThan(1L << 53);
	}

	@Test
	default void aHeldLockIsDeniedAndTheAnswerNamesTheHolder() {
		Claim first = Claims.on("key");
		StoredHolder granted = grant(first);
		elapse(Duration.ofMillis(100));
		ClaimAnswer denied = deny(Claims.on("key"));
		assertThat(denied.lock().holders()).containsExactly(granted);
		LockHolder holder = denied.lock().liveHolders().get(0);
		assertThat(holder.owner()).isEqualTo(Claims.OWNER);
		assertThat(holder.fence()).isEqualTo(granted.fence());
		assertThat(holder.acquiredAt()).isEqualTo(granted.acquiredAt());
		assertThat(holder.heldFor()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
		assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(first.ttl().minusMillis(100));
	}

	@Test
	default void aDeniedClaimChangesNothing() {
		grant(Claims.on("key"));
		StoredLock before = find("key");
		deny(Claims.on("key"));
		assertThat(find("key")).usingRecursiveComparison().ignoringFields("now").isEqualTo(before);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	default void aReleasedLockIsFree(boolean proved) {
		Claim first = Claims.on("key");
		StoredHolder granted = grant(first);
		assertThat((proved) ? releaseGrant(first, granted) : release(first)).isTrue();
		ClaimAnswer answer = ask(Claims.on("key"));
		assertThat(answer.lock().holders()).hasSize(1);
		assertThat(answer.lapsedBefore(answer.lock().holders().get(0))).isEmpty();
	}

	@Test
	default void onlyTheFirstReleaseEndsTheLease() {
		Claim claim = Claims.on("key");
		grant(claim);
		assertThat(release(claim)).isTrue();
		assertThat(release(claim)).isFalse();
	}

	@Test
	default void aReleaseEndsNoOtherLease() {
		Claim holder = Claims.on("key");
		grant(holder);
		assertThat(release(Claims.on("key"))).isFalse();
		deny(Claims.on("key"));
		assertThat(release(Claims.on("never asked for"))).isFalse();
		assertThat(store().find("never asked for", TIMEOUT)).isEmpty();
	}

	@Test
	default void theSameAttemptAgainKeepsItsFenceAndBeginsTheLeaseAnew() {
		Claim claim = Claims.on("key");
		StoredHolder first = grant(claim);
		elapse(Duration.ofMillis(100));
		StoredHolder again = grant(claim);
		assertThat(again.fence()).isEqualTo(first.fence());
		assertThat(again.acquiredAt()).isEqualTo(first.acquiredAt());
		assertThat(again.renewedAt()).isAfterOrEqualTo(first.renewedAt().plusMillis(100));
		assertThat(find("key").holders()).containsExactly(again);
	}

	@Test
	default void aRepeatedAttemptTakesOnePlaceAmongMany() {
		Claim claim = Claims.limit(Claims.on("key"), 2);
		grant(claim);
		grant(claim);
		grant(Claims.limit(Claims.on("key"), 2));
		deny(Claims.limit(Claims.on("key"), 2));
	}

	@Test
	default void anExpiredLeaseIsTakenOverAndTheAnswerNamesItsHolder() {
		StoredHolder lapsed = grant(Claims.ttl(Claims.on("key"), shortTtl()));
		elapse(shortTtl());
		Claim claim = Claims.on("key");
		ClaimAnswer answer = ask(claim);
		StoredHolder granted = answer.grantTo(claim.id().leaseToken()).orElseThrow();
		assertThat(answer.lock().holders()).containsExactly(granted);
		assertThat(answer.lock().previous()).containsExactly(lapsed);
		assertThat(find("key").previous()).containsExactly(lapsed);
		assertThat(answer.lapsedBefore(granted)).singleElement().satisfies((holder) -> {
			assertThat(holder.fence()).isEqualTo(lapsed.fence());
			assertThat(holder.heldFor()).isGreaterThanOrEqualTo(shortTtl());
			assertThat(holder.remaining()).isZero();
		});
	}

	@Test
	default void anAttemptWhoseOwnLeaseRanOutIsGrantedAnew() {
		Claim claim = Claims.ttl(Claims.on("key"), shortTtl());
		StoredHolder first = grant(claim);
		elapse(shortTtl());
		assertThat(grant(claim).fence()).isGreaterThan(first.fence());
	}

	@Test
	default void aLateReleaseNeverFreesASuccessor() {
		Claim first = lapsed("key");
		Claim successor = Claims.on("key");
		grant(successor);
		assertThat(release(first)).isFalse();
		assertThat(deny(Claims.on("key")).grantTo(successor.id().leaseToken())).isPresent();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	default void aLateReleaseSaysWhetherTheLockWasTakenOver(boolean proved) {
		Claim overrun = Claims.ttl(Claims.on("overrun"), shortTtl());
		StoredHolder overran = grant(overrun);
		Claim lost = Claims.ttl(Claims.on("lost"), shortTtl());
		StoredHolder gone = grant(lost);
		elapse(shortTtl());
		assertThat((proved) ? releaseGrant(overrun, overran) : release(overrun)).isTrue();
		Claim successor = Claims.on("lost");
		grant(successor);
		release(successor);
		assertThat((proved) ? releaseGrant(lost, gone) : release(lost)).isFalse();
	}

	@Test
	default void aReleaseOfOneGrantEndsNoLaterOneOfItsToken() {
		Claim claim = Claims.ttl(Claims.on("key"), shortTtl());
		StoredHolder first = grant(claim);
		elapse(shortTtl());
		Claim successor = Claims.on("key");
		grant(successor);
		release(successor);
		StoredHolder late = grant(claim);
		assertThat(releaseGrant(claim, first)).isFalse();
		assertThat(releaseGrant(claim, late)).isTrue();
	}

	@Test
	default void fencesRiseOverReleaseExpiryAndDeletion() {
		List<Long> fences = new ArrayList<>();
		Claim released = Claims.on("key");
		fences.add(grant(released).fence());
		release(released);
		Claim lapsing = Claims.ttl(Claims.on("key"), shortTtl());
		fences.add(grant(lapsing).fence());
		elapse(shortTtl());
		fences.add(grant(Claims.on("key")).fence());
		delete("key");
		elapse(Duration.ofMillis(100));
		fences.add(grant(Claims.on("key")).fence());
		assertThat(fences).isSorted().doesNotHaveDuplicates();
	}

	@Test
	default void aReservedBlockOfFencesIsGivenToNobodyElse() {
		Claim first = Claims.on("key");
		grant(first);
		release(first);
		elapse(Duration.ofMillis(100));
		Claim second = Claims.reserve(Claims.on("key"), 10_000);
		long fence = grant(second).fence();
		assertThat(find("key").fence()).isEqualTo(fence + 10_000);
		release(second);
		assertThat(grant(Claims.on("key")).fence()).isGreaterThan(fence + 10_000);
	}

	@Test
	default void aDeletionBringsBackNoFenceOfALargeBlock() {
		long given = 0;
		for (int turn = 0; turn < 20; turn++) {
			Claim claim = Claims.reserve(Claims.on("key"), 10_000);
			ClaimAnswer answer = ask(claim);
			StoredHolder holder = answer.grantTo(claim.id().leaseToken()).orElseThrow();
			given = holder.fence() + answer.setAside(holder);
			release(claim);
		}
		delete("key");
		elapse(Duration.ofMillis(30));
		assertThat(grant(Claims.on("key")).fence()).isGreaterThan(given);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1, false", "1, 2147483647, false", "2147483647, 1, false", "2147483647, 2147483647, true",
			"3, 2147483647, true", "2, 3, true", "2 2, 3, false", "3 3, 3, true", "3 3, 2, false", "3 3 3, 3, false",
			"2147483647 2147483647, 3, true", "2147483647 2147483647 2147483647, 3, false" })
	default void theSmallestLimitOfAllDecides(String holders, int limit, boolean granted) {
		Stream.of(holders.split(" "))
			.mapToInt(Integer::parseInt)
			.forEach((holder) -> grant(Claims.limit(Claims.on("key"), holder)));
		Claim claim = Claims.limit(Claims.on("key"), limit);
		assertThat(ask(claim).grantTo(claim.id().leaseToken()).isPresent()).isEqualTo(granted);
	}

	@Test
	default void oneOfManyHoldersRunsOutAlone() {
		Claim staying = Claims.limit(Claims.on("key"), 2);
		grant(staying);
		grant(Claims.limit(Claims.ttl(Claims.on("key"), shortTtl()), 2));
		deny(Claims.limit(Claims.on("key"), 2));
		elapse(shortTtl());
		Claim next = Claims.limit(Claims.on("key"), 2);
		ClaimAnswer answer = ask(next);
		assertThat(answer.lock().holders()).extracting(StoredHolder::leaseToken)
			.containsExactly(staying.id().leaseToken(), next.id().leaseToken());
		assertThat(answer.lapsedBefore(answer.lock().holders().get(1))).hasSize(1);
	}

	@Test
	default void aReleaseLeavesTheOtherHoldersAlone() {
		Claim one = Claims.shared("key");
		Claim other = Claims.shared("key");
		grant(one);
		grant(other);
		assertThat(release(one)).isTrue();
		assertThat(find("key").holders()).extracting(StoredHolder::leaseToken).containsExactly(other.id().leaseToken());
	}

}
