package io.mongolock.store.mongo;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerClockComparison}: db1 is the primary.
 */
class ServerClockComparisonTests {

	private final ServerClockComparison clocks = new ServerClockComparison(1000);

	private final List<String> found = new ArrayList<>();

	@Test
	void clocksThatAgreeAreSilent() {
		rounds(3, 0, -900, 90);
		assertThat(this.found).isEmpty();
	}

	@Test
	void aSecondaryThatIsOffIsReportedOnceBeforeItIsElected() {
		rounds(1, 0, 4200, 3);
		assertThat(this.found).as("one heartbeat proves nothing").isEmpty();
		rounds(4, 0, 4200, 3);
		assertThat(this.found).containsExactly("OFF db2 4197 against db3");
	}

	@Test
	void thePrimaryIsNamedIfTheOthersAgree() {
		rounds(2, -4200, 0, 5);
		assertThat(this.found).containsExactly("OFF db1 -4200 against db2");
	}

	@Test
	void ofTwoThePrimaryIsBelieved() {
		rounds(2, 0, -4000);
		assertThat(this.found).containsExactly("OFF db2 -4000 against db1");
		this.found.clear();
		rounds(4, 0, 4000);
		assertThat(this.found).containsExactly("OFF db2 4000 against db1");
	}

	@Test
	void aClockThatWasSetRightIsReportedOnce() {
		rounds(2, 0, 4000, 0);
		rounds(4, 0, 100, 0);
		assertThat(this.found).containsExactly("OFF db2 4000 against db3", "RIGHT db2 100 against db3");
	}

	@Test
	void aClockAtTheEdgeIsNotReportedAgainAndAgain() {
		rounds(2, 0, 1100, 0);
		rounds(2, 0, 900, 0);
		rounds(2, 0, 1100, 0);
		assertThat(this.found).containsExactly("OFF db2 1100 against db3");
	}

	@Test
	void theTimeThatTheNetworkTakesIsNoDifference() {
		for (int round = 0; round < 3; round++) {
			hear(new Heartbeat("db1", true, 0, 300));
			hear(new Heartbeat("db2", false, 1600, 400));
		}
		assertThat(this.found).isEmpty();
	}

	@Test
	void heartbeatsReadLateAfterAPauseOfThisProcessAreNoDifference() {
		rounds(2, 0, 0, 0);
		for (long late : new long[] { -30_000, -20_000, -10_000, 0 }) {
			hear("db2", late);
		}
		rounds(2, 0, 0, 0);
		assertThat(this.found).isEmpty();
	}

	@Test
	void aStepOfOurOwnClockIsNotTakenForOneOfAServerHeardEarlier() {
		rounds(2, 0, 0);
		hear("db1", 5000);
		hear("db1", 5000);
		assertThat(this.found).as("db2 was not heard since").isEmpty();
		rounds(3, 5000, 5000);
		assertThat(this.found).isEmpty();
	}

	@Test
	void theClockOfThisMachineMayDiffer() {
		rounds(4, 3_600_000, 3_600_020, 3_600_010);
		rounds(3, 5, 5, 5);
		assertThat(this.found).isEmpty();
	}

	@Test
	void aServerAloneIsComparedWithNothing() {
		rounds(3, -7000);
		rounds(3, 7000);
		assertThat(this.found).isEmpty();
	}

	@Test
	void aServerThatIsGoneIsComparedNoMoreAndNotReportedAgainWhenItIsBack() {
		rounds(2, 0, 4000, 0);
		this.clocks.lost("db2");
		rounds(2, 0);
		assertThat(this.found).hasSize(1);
		rounds(3, 0, 4000, 0);
		assertThat(this.found).hasSize(1);
		assertThat(this.clocks.reported()).containsOnlyKeys("db2");
		assertThat(this.clocks.writable()).containsExactly("db1");
		this.clocks.lost("db1");
		assertThat(this.clocks.writable()).isEmpty();
	}

	private void rounds(int rounds, long... offsets) {
		for (int round = 0; round < rounds; round++) {
			for (int i = 0; i < offsets.length; i++) {
				hear("db" + (i + 1), offsets[i]);
			}
		}
	}

	private void hear(String server, long offset) {
		hear(new Heartbeat(server, server.equals("db1"), offset, 0));
	}

	private void hear(Heartbeat beat) {
		this.clocks.heard(beat)
			.stream()
			.map((finding) -> ((finding.off()) ? "OFF " : "RIGHT ") + finding.server().server() + " " + finding.offset()
					+ " against " + finding.reference().server())
			.forEach(this.found::add);
	}

	@Test
	void theMessageNamesServerOffsetToleranceAndConsequence() {
		Heartbeat primary = new Heartbeat("db1:27017", true, 0, 0);
		Heartbeat secondary = new Heartbeat("db2:27017", false, 0, 0);
		assertThat(new ServerClockFinding(secondary, primary, 4200, true).describe(1000))
			.startsWith("The clock of MongoDB server db2:27017 is 4200 ms ahead of the clock of db1:27017")
			.contains("Up to 1000 ms are tolerated", "If this server is elected, leases end 4200 ms earlier", "NTP");
		assertThat(new ServerClockFinding(secondary, primary, -4200, true).describe(1000)).contains(
				"4200 ms behind the clock of db1:27017", "callers wait 4200 ms longer for the locks of dead holders");
		assertThat(new ServerClockFinding(primary, secondary, -4200, true).describe(1000))
			.contains("This clock now decides when leases end");
	}

}
