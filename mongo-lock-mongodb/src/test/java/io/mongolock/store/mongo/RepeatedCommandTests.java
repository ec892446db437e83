package io.mongolock.store.mongo;

import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import com.mongodb.MongoException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.ServerAddress;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link RepeatedCommand}.
 */
class RepeatedCommandTests {

	private static final MongoException UNKNOWN = new MongoException(91, "it may have been executed");

	private static final MongoException NOT_EXECUTED = new MongoSocketOpenException("no connection",
			new ServerAddress(), new ConnectException());

	private final RepeatedCommand command = new RepeatedCommand(5_000);

	private final List<Long> timeouts = new ArrayList<>();

	@Test
	void anAnswerAtOnceLeavesNoDoubt() {
		assertThat(send()).isEqualTo("answer");
		assertThat(this.command.isInDoubt()).isFalse();
		assertThat(this.timeouts).containsExactly(5_000L);
	}

	@Test
	void anAnswerAfterAnAttemptThatMayRunLaterIsInDoubt() {
		assertThat(send(NOT_EXECUTED)).isEqualTo("answer");
		assertThat(this.command.isInDoubt()).isFalse();
		assertThat(send(UNKNOWN, NOT_EXECUTED)).isEqualTo("answer");
		assertThat(this.command.isInDoubt()).isTrue();
	}

	@Test
	void theDoubtOfOneCommandIsThatOfTheNext() {
		send(UNKNOWN);
		send();
		assertThat(this.command.isInDoubt()).isTrue();
		assertThat(catchThrowable(this.command::requireNoDoubt)).isSameAs(UNKNOWN);
	}

	@Test
	void whenEachRepetitionFailsThenTheFailureOfUnknownOutcomeIsThrown() {
		MongoException[] failures = { NOT_EXECUTED, UNKNOWN, NOT_EXECUTED, NOT_EXECUTED, NOT_EXECUTED };
		assertThat(catchThrowable(() -> send(failures))).isSameAs(UNKNOWN);
		assertThat(this.timeouts).hasSize(5);
	}

	@Test
	void aSecondCommandHasWhatTheFirstOneLeft() {
		long begun = System.nanoTime();
		this.command.send((timeout) -> {
			this.timeouts.add(timeout);
			while (System.nanoTime() - begun < 20_000_000) {
				Thread.onSpinWait();
			}
			return "answer";
		});
		send(NOT_EXECUTED);
		assertThat(this.timeouts).hasSize(3).allSatisfy((timeout) -> assertThat(timeout).isPositive());
		assertThat(this.timeouts.get(1)).isLessThanOrEqualTo(4_980);
		assertThat(this.timeouts.get(2)).isLessThanOrEqualTo(this.timeouts.get(1));
	}

	@Test
	void aFailureThatWouldComeAgainIsNotRepeated() {
		MongoException refused = new MongoException(13, "not authorized");
		assertThat(catchThrowable(() -> send(refused))).isSameAs(refused);
		assertThat(this.timeouts).hasSize(1);
	}

	private String send(MongoException... failures) {
		Iterator<MongoException> next = List.of(failures).iterator();
		return this.command.send((timeout) -> {
			this.timeouts.add(timeout);
			if (next.hasNext()) {
				throw next.next();
			}
			return "answer";
		});
	}

}
