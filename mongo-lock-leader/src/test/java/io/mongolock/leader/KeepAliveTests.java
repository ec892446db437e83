package io.mongolock.leader;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderElection}: an application that does nothing but stand for a
 * role.
 */
@Tag("process")
@Timeout(180)
class KeepAliveTests {

	@Test
	void itIsElectedAfterItsMainMethodHasReturnedAndEndsWhenItIsAskedTo() throws Exception {
		Process application = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-cp", System.getProperty("java.class.path"), Application.class.getName())
			.redirectErrorStream(true)
			.start();
		try (BufferedReader output = application.inputReader()) {
			assertThat(readUntil(output, "main has returned")).isTrue();
			assertThat(readUntil(output, "leads, after main")).isTrue();
			assertThat(application.isAlive()).isTrue();
			application.destroy();
			assertThat(application.waitFor(1, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			application.destroyForcibly();
		}
	}

	private static boolean readUntil(BufferedReader output, String text) throws IOException {
		String line = output.readLine();
		while (line != null && !line.contains(text)) {
			line = output.readLine();
		}
		return line != null;
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ MongoLockAutoConfiguration.class, LeaderElectionAutoConfiguration.class })
	public static class Application {

		public static void main(String[] args) {
			Thread main = Thread.currentThread();
			new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.initializers((context) -> context.getBeanFactory().registerSingleton("main", main))
				.run(args);
			System.out.println("main has returned");
		}

		@Bean
		InMemoryLockStore store() {
			return new InMemoryLockStore();
		}

		@Bean
		LeaderElection reports(LockOperations locks, ApplicationEventPublisher events) {
			return new LeaderElection("reports", locks, events);
		}

		@Bean
		Reports listener(Thread main) {
			return new Reports(main);
		}

		record Reports(Thread main) {

			@EventListener
			void granted(LeaderElectionEvent.Granted event) throws InterruptedException {
				this.main.join();
				System.out.println("leads, after main");
			}

		}

	}

}
