package io.mongolock.core;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RenewalSchedule} when documents are blocked or gone, or the store is
 * slow, silent or refuses, in virtual time. With a ttl of 6 s a lease is relied on for
 * 4.8 s and renewed every 1.6 s by a request that takes at most 1.6 s.
 */
class RenewalTroubleTests {

	private static final Duration SIX = Duration.ofSeconds(6);

	private final VirtualRenewals renewals = new VirtualRenewals();

	@AfterEach
	void noMoreRequestsAreUnderwayThanAllowed() {
		assertThat(this.renewals.mostInFlight).isLessThanOrEqualTo(RenewalSchedule.MAX_REQUESTS);
	}

	@Test
	void oneDocumentBlockedForGoodLosesItsOwnLockAlone() {
		this.renewals.hold(500, "k", SIX);
		this.renewals.block("k250", 0, VirtualRenewals.FOR_EVER);
		this.renewals.runUntil(120_000);
		assertThat(this.renewals.held()).isEqualTo(499);
		assertThat(this.renewals.lost()).containsOnlyKeys("k250").containsEntry("k250", 4_800L);
	}

	@Test
	void locksOfShortTimeoutsBesideThemChangeNothing() {
		this.renewals.hold(500, "k", SIX);
		this.renewals.hold(100, "brief", Duration.ofSeconds(1));
		this.renewals.block("k250", 0, VirtualRenewals.FOR_EVER);
		this.renewals.runUntil(60_000);
		assertThat(this.renewals.lost()).containsOnlyKeys("k250");
	}

	@Test
	void aLockOfAShortTimeoutThatIsBlockedLosesNoOther() {
		this.renewals.hold(500, "k", SIX);
		this.renewals.hold(100, "brief", Duration.ofSeconds(1));
		this.renewals.block("brief50", 0, VirtualRenewals.FOR_EVER);
		this.renewals.runUntil(60_000);
		assertThat(this.renewals.lost()).containsOnlyKeys("brief50");
	}

	@Test
	void severalDocumentsBlockedForGoodLoseTheirOwnLocksAlone() {
		this.renewals.hold(500, "k", SIX);
		for (int i = 0; i < 8; i++) {
			this.renewals.block("k" + i * 60, 0, VirtualRenewals.FOR_EVER);
		}
		this.renewals.runUntil(60_000);
		assertThat(this.renewals.lost()).hasSize(8);
	}

	@Test
	void documentsThatAreBlockedTimeAndAgainLoseNoLock() {
		this.renewals.hold(500, "k", SIX);
		for (int time = 0; time < 20; time++) {
			this.renewals.block("k" + time * 20, 1_000 + time * 3_000L, 3_500 + time * 3_000L);
		}
		this.renewals.runUntil(70_000);
		assertThat(this.renewals.lost()).isEmpty();
	}

	@Test
	void aLeaseThatIsConfirmedAgainGoesAlongWithTheOthersAgain() {
		this.renewals.hold(500, "k", SIX);
		this.renewals.block("k250", 0, 4_000);
		this.renewals.runUntil(20_000);
		int before = this.renewals.requests;
		this.renewals.runUntil(36_000);
		assertThat(this.renewals.requests - before).as("requests in ten intervals").isLessThanOrEqualTo(20);
		assertThat(this.renewals.lost()).isEmpty();
	}

	@Test
	void aStoreAlmostAsSlowAsTheTimeoutLosesNoLock() {
		this.renewals.hold(500, "k", SIX);
		this.renewals.latency(1_550);
		this.renewals.runUntil(60_000);
		assertThat(this.renewals.lost()).isEmpty();
	}

	@Test
	void aStoreThatIsSilentForAFailoverLosesNoLockAndIsNotStormed() {
		this.renewals.hold(2_000, "k", Duration.ofSeconds(30));
		this.renewals.silent(7_900, 19_900);
		this.renewals.runUntil(19_900);
		assertThat(this.renewals.requests).as("while it was silent").isLessThan(100);
		this.renewals.runUntil(24_000);
		assertThat(this.renewals.lost()).isEmpty();
		assertThat(this.renewals.requests).as("until all was as before").isLessThan(600);
	}

	@ParameterizedTest
	@CsvSource({ "1, 24990", "2, 24900", "17, 24900", "50, 24900" })
	void aMajorityThatConfirmsNothingForAlmostTwentyThreeSecondsLosesNoLockOfFew(int leases, long until) {
		for (long from = 1_100; from < 2_000; from += 7) {
			VirtualRenewals silenced = new VirtualRenewals();
			silenced.hold(leases, "k", Duration.ofSeconds(30));
			silenced.silent(from, until);
			silenced.runUntil(40_000);
			assertThat(silenced.lost()).as("silent from " + from).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 17, 50 })
	void aPrimaryThatHangsForAlmostTwentyThreeSecondsLosesNoLockOfFew(int leases) {
		for (long elected = 20_000; elected < 24_990; elected += 17) {
			VirtualRenewals hung = new VirtualRenewals();
			hung.hold(leases, "k", Duration.ofSeconds(30));
			hung.hang(1_999, elected);
			hung.runUntil(40_000);
			assertThat(hung.lost()).as("elected at " + elected).isEmpty();
			assertThat(hung.mostInFlight).isLessThanOrEqualTo(2 * RenewalSchedule.MAX_REQUESTS);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 17, 50, 400 })
	void aMajorityThatThenConfirmsSlowlyLosesNoLock(int leases) {
		for (long until = 12_000; until < 19_000; until += 97) {
			VirtualRenewals slow = new VirtualRenewals();
			slow.hold(leases, "k", Duration.ofSeconds(30));
			slow.runUntil(1_999);
			slow.latency(2_000);
			slow.silent(2_000, until);
			slow.runUntil(30_000);
			assertThat(slow.lost()).as("silent until " + until).isEmpty();
		}
	}

	@Test
	void aStoreThatIsSilentForGoodIsNotStormed() {
		this.renewals.hold(5_000, "k", SIX);
		this.renewals.silent(0, VirtualRenewals.FOR_EVER);
		this.renewals.runUntil(20_000);
		assertThat(this.renewals.lost()).hasSize(5_000);
		assertThat(this.renewals.requests).isLessThan(100);
	}

	@Test
	void aRefusedRenewalIsNoMissingLease() {
		this.renewals.hold(1, "k", SIX);
		this.renewals.refuse("k0", true);
		this.renewals.runUntil(4_000);
		assertThat(this.renewals.lost()).isEmpty();
		assertThat(this.renewals.requests).as("every 0.2 to 0.4 s from 1.6 s on").isBetween(6, 13);
		this.renewals.refuse("k0", false);
		this.renewals.runUntil(20_000);
		assertThat(this.renewals.lost()).isEmpty();
	}

	@Test
	void aLeaseThatIsRefusedToItsDeadlineIsLostThere() {
		this.renewals.hold(1, "k", SIX);
		this.renewals.refuse("k0", true);
		this.renewals.runUntil(20_000);
		assertThat(this.renewals.lost()).containsOnly(Map.entry("k0", 4_800L));
	}

	@Test
	void refusedRenewalsLoseNoneOfTheOthersAndAreNotSentAlone() {
		this.renewals.hold(500, "k", SIX);
		for (int i = 0; i < 100; i++) {
			this.renewals.refuse("k" + i, true);
		}
		this.renewals.runUntil(60_000);
		assertThat(this.renewals.lost()).hasSize(100).containsValue(4_800L);
		assertThat(this.renewals.held()).isEqualTo(400);
		assertThat(this.renewals.requests).as("one per interval, and 16 for those refused").isLessThanOrEqualTo(60);
	}

	@Test
	void aMissingLeaseBesideARefusedRenewalIsFoundAndNoOtherIsLost() {
		this.renewals.hold(500, "k", SIX);
		this.renewals.refuse("k0", true);
		this.renewals.remove("k1");
		this.renewals.runUntil(3_000);
		assertThat(this.renewals.lost()).containsOnlyKeys("k1");
		this.renewals.refuse("k0", false);
		this.renewals.runUntil(60_000);
		assertThat(this.renewals.lost()).containsOnlyKeys("k1");
	}

	@Test
	void aStoreThatRefusesAtOnceIsAskedAfterPauses() {
		this.renewals.hold(5_000, "k", SIX);
		this.renewals.refuse();
		this.renewals.runUntil(20_000);
		assertThat(this.renewals.lost()).hasSize(5_000);
		assertThat(this.renewals.requests).as("5 batches, for 3.2 s, 0.2 s apart").isLessThanOrEqualTo(5 * 16);
	}

	@Test
	void allDocumentsGoneAreFoundMissingByOneRequestEach() {
		this.renewals.hold(3_000, "k", SIX);
		for (int i = 0; i < 3_000; i++) {
			this.renewals.remove("k" + i);
		}
		this.renewals.runUntil(2_000);
		assertThat(this.renewals.lost()).hasSize(3_000);
		assertThat(this.renewals.requests).isEqualTo(3);
	}

	@Test
	void manyDocumentsGoneAreFoundMissingAFewRequestsAtATime() {
		this.renewals.hold(900, "k", SIX);
		for (int i = 0; i < 900; i += 3) {
			this.renewals.remove("k" + i);
		}
		this.renewals.runUntil(10_000);
		assertThat(this.renewals.lost()).hasSize(300);
	}

}
