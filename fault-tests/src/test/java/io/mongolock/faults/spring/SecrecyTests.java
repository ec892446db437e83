package io.mongolock.faults.spring;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Rows 40 and 41: what must stay secret does. Of the arguments of a method only its key
 * is said to anybody, and that above {@code DEBUG} only if something is wrong.
 */
@Timeout(120)
@ReadsOutput
class SecrecyTests {

	private static final String KEY = "pay:42";

	private static final String PASSWORD = "hush-4711";

	private static final Object CARD = new Object() {

		@Override
		public String toString() {
			return "4111-1111";
		}

	};

	@Test
	@ShowsRow(value = 40, level = Level.SPRING)
	void anArgumentOutsideTheKeyIsToldNowhere(CapturedOutput output) {
		try (SpringApp app = new SpringApp(Cashier.class, "logging.level.io.mongolock=trace")) {
			Cashier cashier = app.bean(Cashier.class);
			cashier.pay("42", CARD);
			app.other().occupy(KEY);
			assertThat(textOf(catchThrowableOfType(LockUnavailableException.class, () -> cashier.pay("42", CARD))))
				.contains(KEY)
				.doesNotContain("4111");
			assertThat(textOf(catchThrowableOfType(IllegalArgumentException.class, () -> cashier.pay(null, CARD))))
				.contains("pay(String, Object)")
				.doesNotContain("4111");
			assertThat(app.harness().documents().find().first().toString()).doesNotContain("4111");
		}
		assertThat(output).contains(KEY).doesNotContain("4111");
	}

	@Test
	@ShowsRow(value = 40, level = Level.SPRING)
	void withNothingWrongNoKeyIsLogged(CapturedOutput output) {
		try (SpringApp app = new SpringApp(Cashier.class, "logging.level.io.mongolock=info")) {
			Cashier cashier = app.bean(Cashier.class);
			cashier.pay("42", CARD);
			app.other().occupy(KEY);
			assertThat(catchThrowableOfType(LockUnavailableException.class, () -> cashier.pay("42", CARD))).isNotNull();
		}
		assertThat(output).doesNotContain(KEY);
	}

	@Test
	@ShowsRow(value = 41, level = Level.SPRING)
	void thePasswordOfTheServerIsNeverTold(CapturedOutput output) throws IOException {
		String uri = "mongodb://app:" + PASSWORD + "@127.0.0.1:" + closedPort()
				+ "/?authSource=admin&serverSelectionTimeoutMS=500";
		try (ConfigurableApplicationContext context = SpringApp.start(uri, Guarded.class, "mongo-lock.wait-timeout=0s",
				"logging.level.io.mongolock=trace")) {
			assertThat(textOf(catchThrowableOfType(LockStoreException.class,
					() -> context.getBean(Guarded.class).run("a", Thread::yield))))
				.doesNotContain(PASSWORD);
			assertThat(context.getBean(LockOwner.class).toString()).doesNotContain(PASSWORD);
		}
		SpringApp.awaitNoThreads();
		assertThat(output).contains("TTL index").doesNotContain(PASSWORD);
	}

	private static int closedPort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private static String textOf(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

	static class Cashier {

		@DistributedLock(name = "pay", key = "#order", waitTimeout = "0s")
		void pay(String order, Object card) {
		}

	}

}
