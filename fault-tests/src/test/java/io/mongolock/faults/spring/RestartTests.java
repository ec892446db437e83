package io.mongolock.faults.spring;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A context is stopped, and started again.
 */
@ReadsOutput
class RestartTests {

	private static final LockRequest REQUEST = LockRequest.of(Guarded.key("a"));

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void stoppedItGivesBackAndRefusesAndStartedAgainItWorks(RowFigures figures, CapturedOutput output) {
		figures.server(RowFigures.EMBEDDED);
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				OtherClient other = new OtherClient(mongo.connectionString());
				ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), Guarded.class)) {
			LockOperations locks = context.getBean(LockOperations.class);
			LockHandle held = locks.acquire(REQUEST);
			context.stop();
			assertThat(held.isHeld()).isFalse();
			assertThat(other.seesHeld(REQUEST.key())).isFalse();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire(REQUEST))
				.withMessageContaining("shutting down");
			context.start();
			context.getBean(Guarded.class).run("a", () -> assertThat(other.seesHeld(REQUEST.key())).isTrue());
			assertThat(other.seesHeld(REQUEST.key())).isFalse();
		}
		assertThat(output).doesNotContain("ERROR").doesNotContain("\tat ");
	}

}
