package io.mongolock.faults.spring;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What must not be told is told nowhere.
 */
@ExtendWith(OutputCaptureExtension.class)
class SecretsTests {

	private static final String ENCODED = "s3cr3t%40pw";

	private static final String[] SECRETS = { ENCODED, "s3cr3t@pw", "s3cr3t" };

	private final TestServer server = TestServer.embedded();

	@AfterEach
	void stop() {
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@ShowsRow(value = 40, level = Level.B)
	void thePasswordOfTheConnectionIsNeverTold(boolean listening, RowFigures figures, CapturedOutput output) {
		figures.server(this.server.label());
		String uri = "mongodb://user:" + ENCODED + "@127.0.0.1:" + ((listening) ? this.server.port() : 1)
				+ "/?authSource=admin";
		try (ConfigurableApplicationContext context = this.server.runAt(uri, GuardedApplication.class,
				"logging.level.io.mongolock=debug", "mongo-lock.wait-timeout=0s")) {
			GuardedService service = context.getBean(GuardedService.class);
			LockStoreException failure = catchThrowableOfType(LockStoreException.class,
					() -> service.run(() -> "never"));
			assertThat(textOf(failure)).contains("Could not acquire lock").doesNotContain(SECRETS);
			assertThat(context.getBean(LockOwner.class).toString()).doesNotContain(SECRETS);
		}
		assertThat(output).contains("The TTL index").doesNotContain(SECRETS);
	}

	@Test
	@ShowsRow(value = 40, level = Level.B)
	void anArgumentThatIsNotInTheKeyIsNeverTold(RowFigures figures, CapturedOutput output) {
		figures.server(this.server.label());
		Object card = new Object() {
			@Override
			public String toString() {
				return "4111-1111";
			}
		};
		try (ConfigurableApplicationContext context = this.server.run(GuardedApplication.class,
				"logging.level.io.mongolock=trace"); OtherClient other = this.server.otherClient()) {
			GuardedService service = context.getBean(GuardedService.class);
			assertThat(service.pay("42", card)).isEqualTo("42");
			try (LockHandle held = other.hold("pay:42")) {
				assertThat(held.isHeld()).isTrue();
				assertThat(textOf(catchThrowableOfType(LockUnavailableException.class, () -> service.pay("42", card))))
					.contains("pay:42")
					.doesNotContain("4111");
			}
			assertThat(textOf(catchThrowableOfType(IllegalArgumentException.class, () -> service.pay(null, card))))
				.contains("pay(String, Object)")
				.doesNotContain("4111");
			assertThat(other.stored("pay:42").toString()).doesNotContain("4111");
		}
		assertThat(output).doesNotContain("4111");
	}

	@Test
	@ShowsRow(value = 40, level = Level.B)
	void inGoodTimesNoKeyIsLoggedAboveDebug(RowFigures figures, CapturedOutput output) throws Exception {
		figures.server(this.server.label());
		try (ConfigurableApplicationContext context = this.server.run(GuardedApplication.class);
				OtherClient other = this.server.otherClient()) {
			GuardedService service = context.getBean(GuardedService.class);
			service.keyOf("private-key");
			CountDownLatch runs = new CountDownLatch(1);
			try (LockHandle held = other.hold(GuardedService.KEY)) {
				assertThat(held.isHeld()).isTrue();
				assertThat(service.skipIfBusy(() -> {
					runs.countDown();
					return "ran";
				})).isNull();
			}
			assertThat(runs.getCount()).isOne();
		}
		assertThat(output).doesNotContain("private-key").doesNotContain("'" + GuardedService.KEY + "'");
	}

	private static String textOf(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

}
