package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.harness.history.QueueCheck.Answer;
import io.mongolock.faults.harness.history.QueueCheck.Answer.Entry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueCheck}. Tokens are named by their limit: {@code w} for a writer,
 * {@code r} for a reader, {@code p} for one of two permits.
 */
class QueueCheckTests {

	private final List<Answer> history = new ArrayList<>();

	@Test
	void aClaimServedInTurnPassesNoOther() {
		denied("w2", "w1", "w2");
		denied("w3", "w1", "w2", "w3");
		granted("w2", "w2", "w3");
		granted("w3", "w3");
		assertThat(check().passings()).isEmpty();
		assertThat(check().waited("k")).isEqualTo(1);
	}

	@Test
	void aClaimServedBeforeAPlaceAheadPassesThatPlace() {
		denied("w3", "w1", "w2", "w3");
		granted("w3", "w3", "w2");
		assertThat(check().passings()).singleElement().asString().contains("w3 passed [", "w2");
	}

	@Test
	void aPlaceThatCameLaterIsNotPassed() {
		denied("w2", "w1", "w2");
		granted("w2", "w2", "w3");
		assertThat(check().passings()).isEmpty();
	}

	@Test
	void aClaimGrantedWithoutAPlacePassesTheQueue() {
		granted("w2", "w2", "w3");
		assertThat(check().passings()).hasSize(1);
	}

	@Test
	void readersMayEnterInAnyOrderAndNotBeforeAWriter() {
		denied("r2", "w1", "r1", "r2");
		granted("r2", "r2", "r1");
		assertThat(check().passings()).isEmpty();
		denied("r3", "r2", "w2", "r3");
		granted("r3", "r2 r3", "w2");
		assertThat(check().passings()).hasSize(1);
	}

	@Test
	void aPermitIsGrantedBesideThoseAheadIfThereIsOneForAll() {
		denied("p3", "p1 p2", "p4", "p3");
		granted("p3", "p3", "p4");
		assertThat(check().passings()).isEmpty();
		denied("p5", "p1 p3", "p4", "p5");
		granted("p5", "p3 p5", "p4");
		assertThat(check().passings()).hasSize(1);
	}

	private QueueCheck check() {
		return new QueueCheck(this.history);
	}

	private void denied(String token, String holders, String... queue) {
		this.history.add(new Answer("k", token, false, entries(holders.split(" ")), entries(queue)));
	}

	private void granted(String token, String holders, String... queue) {
		this.history.add(new Answer("k", token, true, entries(holders.split(" ")), entries(queue)));
	}

	private static List<Entry> entries(String... tokens) {
		return Stream.of(tokens).map((token) -> new Entry(token, switch (token.charAt(0)) {
			case 'w' -> 1;
			case 'p' -> 2;
			default -> Integer.MAX_VALUE;
		})).toList();
	}

}
