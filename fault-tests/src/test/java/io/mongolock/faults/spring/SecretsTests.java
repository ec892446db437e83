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
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What must stay secret does.
 */
@Timeout(120)
@ReadsOutput
class SecretsTests {

	private static final String PASSWORD = "hush-4711";

	@Test
	@ShowsRow(value = 41, level = Level.SPRING)
	void thePasswordOfTheServerIsNeverTold(CapturedOutput output) throws IOException {
		String uri = "mongodb://app:" + PASSWORD + "@127.0.0.1:" + closedPort()
				+ "/?authSource=admin&serverSelectionTimeoutMS=500";
		try (ConfigurableApplicationContext context = SpringApp.start(uri, Guarded.class,
				"logging.level.io.mongolock=trace")) {
			Throwable thrown = catchThrowable(() -> context.getBean(Guarded.class).run("a", () -> {
			}));
			assertThat(thrown).isInstanceOf(LockStoreException.class);
			assertThat(stackTrace(thrown)).doesNotContain(PASSWORD);
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

	private static String stackTrace(Throwable thrown) {
		StringWriter text = new StringWriter();
		thrown.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

}
