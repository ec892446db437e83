package io.mongolock.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a lease goes on, and that none ever comes back.
 */
interface RenewalContract extends LockStoreContract {

	@Test
	default void aRenewedLeaseLastsAWholeTtlFromThere() {
		int late = 0;
		while (!lastsAWholeTtlFromItsRenewal("key" + late)) {
			assertThat(++late).as("times that this machine was too busy to see it").isLessThan(5);
		}
	}

	/**
	 * See a lease that was renewed and denies another.
	 * @return {@code false} if the other asked too late, by the store's time
	 */
	private boolean lastsAWholeTtlFromItsRenewal(String key) {
		Claim claim = Claims.ttl(Claims.on(key), shortTtl());
		StoredHolder granted = grant(claim);
		elapse(shortTtl().multipliedBy(6).dividedBy(10));
		assertThat(renew(claim)).isTrue();
		StoredHolder renewed = find(key).holders().get(0);
		assertThat(renewed.fence()).isEqualTo(granted.fence());
		assertThat(renewed.acquiredAt()).isEqualTo(granted.acquiredAt());
		assertThat(renewed.renewedAt()).isAfter(granted.renewedAt());
		elapse(shortTtl().multipliedBy(6).dividedBy(10));
		ClaimAnswer answer = ask(Claims.on(key));
		if (!renewed.isAlive(answer.lock().now())) {
			return false;
		}
		assertThat(answer.lock().holders()).containsExactly(renewed);
		elapse(shortTtl());
		grant(Claims.on(key));
		return true;
	}

	@Test
	default void aLeaseThatRanOutButWasNotTakenIsRenewed() {
		Claim claim = lapsed("key");
		assertThat(renew(claim)).isTrue();
		deny(Claims.on("key"));
	}

	@Test
	default void aLeaseThatWasTakenOverIsNotRenewed() {
		Claim first = lapsed("key");
		StoredHolder successor = grant(Claims.on("key"));
		elapse(shortTtl().dividedBy(10));
		assertThat(renew(first)).isFalse();
		assertThat(find("key").holders()).containsExactly(successor);
	}

	@Test
	default void leasesReleasedTogetherAreFreeAndOthersStay() {
		Claim first = Claims.on("first");
		Claim second = Claims.on("second");
		Claim gone = Claims.on("gone");
		StoredHolder other = grant(Claims.on("other"));
		List.of(first, second, gone).forEach(this::grant);
		release(gone);
		StoredHolder successor = grant(Claims.on("gone"));
		LeaseId foreign = new LeaseId("other", first.id().leaseToken());
		assertThat(store().releaseAll(List.of(first.id(), second.id(), gone.id(), foreign), TIMEOUT)).isEqualTo(2);
		assertThat(find("first").holders()).isEmpty();
		assertThat(find("second").holders()).isEmpty();
		assertThat(find("gone").holders()).containsExactly(successor);
		assertThat(find("other").holders()).containsExactly(other);
		assertThat(store().releaseAll(List.of(), TIMEOUT)).isZero();
		assertThat(renew(first)).isFalse();
	}

	@Test
	default void aLeaseGivenALengthOfItsOwnLastsSoLongFromThere() {
		Claim claim = Claims.on("key");
		StoredHolder granted = grant(claim);
		elapse(shortTtl().dividedBy(10));
		assertThat(store().expireAll(Map.of(claim.id(), shortTtl()), TIMEOUT)).isOne();
		StoredHolder kept = deny(Claims.on("key")).lock().holders().get(0);
		assertThat(kept.ttl()).isEqualTo(shortTtl());
		assertThat(kept.fence()).isEqualTo(granted.fence());
		assertThat(kept.acquiredAt()).isEqualTo(granted.acquiredAt());
		assertThat(kept.renewedAt()).isAfter(granted.renewedAt());
		assertThat(kept.kept()).isTrue();
		elapse(shortTtl());
		grant(Claims.on("key"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	default void aLeaseThatEndedAsItWasMeantToIsTakenOverFromNobody(boolean first) {
		Claim claim = Claims.on("key");
		grant(claim);
		store().expireAll(Map.of(claim.id(), shortTtl()), TIMEOUT);
		elapse(shortTtl());
		Claim next = (first) ? Claims.first(Claims.on("key")) : Claims.on("key");
		ClaimAnswer answer = ask(next);
		assertThat(answer.lapsedBefore(answer.grantTo(next.id().leaseToken()).orElseThrow())).isEmpty();
	}

	@Test
	default void onlyLeasesThatAreThereAreGivenALengthOfTheirOwn() {
		Claim lapsed = lapsed("lapsed");
		Claim reader = Claims.shared("shared");
		StoredHolder otherReader = grant(Claims.shared("shared"));
		grant(reader);
		Claim gone = lapsed("gone");
		StoredHolder successor = grant(Claims.on("gone"));
		Map<LeaseId, Duration> leases = Map.of(lapsed.id(), shortTtl(), reader.id(), shortTtl(), gone.id(), shortTtl(),
				Claims.on("never asked for").id(), shortTtl());
		assertThat(store().expireAll(leases, TIMEOUT)).isEqualTo(2);
		deny(Claims.on("lapsed"));
		assertThat(find("gone").holders()).containsExactly(successor);
		assertThat(find("shared").holders()).contains(otherReader)
			.extracting(StoredHolder::ttl)
			.containsExactlyInAnyOrder(otherReader.ttl(), shortTtl());
		assertThat(store().find("never asked for", TIMEOUT)).isEmpty();
	}

	@Test
	default void aReleasedLeaseIsNotRenewed() {
		Claim claim = Claims.on("key");
		grant(claim);
		release(claim);
		assertThat(renew(claim)).isFalse();
		assertThat(find("key").holders()).isEmpty();
	}

	@Test
	default void aDeletedLeaseIsNotRenewed() {
		Claim claim = Claims.on("key");
		grant(claim);
		delete("key");
		assertThat(renew(claim)).isFalse();
		assertThat(store().find("key", TIMEOUT)).isEmpty();
	}

	@Test
	default void anotherTokenRenewsNothing() {
		StoredHolder granted = grant(Claims.on("key"));
		elapse(shortTtl().dividedBy(10));
		assertThat(renew(Claims.on("key"))).isFalse();
		assertThat(find("key").holders()).containsExactly(granted);
	}

	@Test
	default void oneOfManyHoldersIsRenewedAlone() {
		StoredHolder first = grant(Claims.shared("key"));
		Claim claim = Claims.shared("key");
		StoredHolder second = grant(claim);
		elapse(shortTtl().dividedBy(10));
		assertThat(renew(claim)).isTrue();
		List<StoredHolder> holders = find("key").holders();
		assertThat(holders.get(0)).isEqualTo(first);
		assertThat(holders.get(1).renewedAt()).isAfter(second.renewedAt());
	}

	@Test
	default void manyRenewalsAtOnceAreCounted() {
		Claim one = Claims.on("one");
		Claim reader = Claims.shared("shared");
		Claim otherReader = Claims.shared("shared");
		Claim released = Claims.on("released");
		List.of(one, reader, otherReader, released).forEach(this::grant);
		release(released);
		elapse(shortTtl().dividedBy(10));
		List<LeaseId> leases = List.of(one.id(), reader.id(), otherReader.id(), released.id(),
				Claims.on("never asked for").id());
		assertThat(store().renewAll(leases, TIMEOUT).found()).isEqualTo(3);
		assertThat(find("shared").holders())
			.allSatisfy((holder) -> assertThat(holder.renewedAt()).isAfter(holder.acquiredAt()));
		assertThat(find("released").holders()).isEmpty();
		assertThat(store().find("never asked for", TIMEOUT)).isEmpty();
	}

	@Test
	default void whenARenewalHasANoteThenItsHolderShowsItUntilAnother() {
		Claim one = Claims.shared("key");
		Claim other = Claims.shared("key");
		List.of(one, other).forEach(this::grant);
		for (String note : List.of("charging card", "$e\u00e4.", "")) {
			elapse(shortTtl().dividedBy(10));
			List<LeaseId> leases = List.of(one.id(), other.id(), Claims.on("never asked for").id());
			Instant before = find("key").holders().get(0).renewedAt();
			assertThat(store().renewAll(leases, Map.of(one.id(), note), TIMEOUT).found()).isEqualTo(2);
			assertThat(find("key").holders()).extracting(StoredHolder::note).containsExactly(note, "");
			assertThat(find("key").holders().get(0).renewedAt()).isAfter(before);
			assertThat(renew(one)).isTrue();
			assertThat(find("key").holders().get(0).note()).as("kept by a renewal without one").isEqualTo(note);
		}
		StoredHolder first = find("key").holders().get(0);
		assertThat(first.toHolder(first.renewedAt()).note()).isEqualTo(first.note());
	}

	@Test
	default void whenALockWasTakenOverThenANoteOfItsFormerHolderIsNotWritten() {
		Claim first = lapsed("key");
		StoredHolder successor = grant(Claims.on("key"));
		assertThat(store().renewAll(List.of(first.id()), Map.of(first.id(), "late"), TIMEOUT).found()).isZero();
		assertThat(find("key").holders()).containsExactly(successor);
	}

	@Test
	default void renewingNothingIsNothing() {
		assertThat(store().renewAll(List.of(), TIMEOUT).found()).isZero();
	}

}
