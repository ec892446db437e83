package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

import io.mongolock.faults.harness.Harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A Spring Boot application as users start it, behind the proxy of its server, and
 * another client of its locks.
 */
final class SpringApp implements AutoCloseable {

	/** How long its leases last. */
	static final Duration TTL = Duration.ofMinutes(1);

	private final Harness harness;

	private final OtherClient other;

	private final ConfigurableApplicationContext context;

	SpringApp(Class<?> source, String... properties) {
		this(Harness.embedded(), source, properties);
	}

	/** The server is closed with the application. */
	SpringApp(Harness harness, Class<?> source, String... properties) {
		this.harness = harness;
		this.other = new OtherClient(harness.observer());
		this.context = start(harness.proxied(), source, properties);
	}

	/** Start an application with properties, for example {@code mongo-lock.ttl=2s}. */
	static ConfigurableApplicationContext start(String uri, Class<?> source, String... properties) {
		return start(uri, (context) -> {
		}, source, properties);
	}

	/** Start an application with beans of a test. */
	static ConfigurableApplicationContext start(String uri,
			ApplicationContextInitializer<GenericApplicationContext> beans, Class<?> source, String... properties) {
		Stream<String> server = Stream.of("spring.mongodb.uri=" + uri, "spring.mongodb.database=" + Harness.DATABASE);
		SpringApplicationBuilder builder = new SpringApplicationBuilder(Auto.class, source);
		if (Arrays.stream(properties).noneMatch((property) -> property.startsWith("logging."))) {
			leaveLogging(builder);
		}
		return builder.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.initializers(beans)
			.properties("spring.application.name=fault-tests", "mongo-lock.ttl=" + TTL, "mongo-lock.margin=1s",
					"mongo-lock.operation-timeout=5s")
			.run(Stream.concat(server, Arrays.stream(properties)).map("--"::concat).toArray(String[]::new));
	}

	/**
	 * Leave the one logging system of the JVM alone, which tests side by side would set
	 * up at the same time.
	 */
	static void leaveLogging(SpringApplicationBuilder builder) {
		builder.application()
			.setListeners(builder.application()
				.getListeners()
				.stream()
				.filter((listener) -> !(listener instanceof LoggingApplicationListener))
				.toList());
	}

	String uri() {
		return this.harness.proxied();
	}

	/** Whether the store has a holder of what is stored under a key, prefix included. */
	boolean isHeld(String stored) {
		return this.other.holder(stored).isPresent();
	}

	Harness harness() {
		return this.harness;
	}

	OtherClient other() {
		return this.other;
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/**
	 * Wait until all threads of the applications that were closed have ended: a request
	 * that was underway ends with the connections, and may log so.
	 */
	static void awaitNoThreads() {
		await().atMost(Harness.LONG)
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.filteredOn((name) -> name.startsWith("mongo-lock-"))
				.filteredOn((name) -> !name.startsWith("mongo-lock-embedded"))
				.isEmpty());
	}

	@Override
	public void close() {
		this.context.close();
		this.other.close();
		this.harness.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Auto {

	}

}
