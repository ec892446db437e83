package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Starts Spring Boot applications as users do, with all of their auto-configuration.
 */
final class SpringApp {

	private static final String[] DEFAULTS = { "spring.application.name=fault-tests", "mongo-lock.ttl=5s",
			"mongo-lock.margin=1s" };

	private SpringApp() {
	}

	/**
	 * Start an application.
	 * @param uri where its MongoDB is
	 * @param source its configuration or component, besides what is auto-configured
	 * @param properties more properties, such as {@code mongo-lock.ttl=2s}
	 * @return its context
	 */
	static ConfigurableApplicationContext start(String uri, Class<?> source, String... properties) {
		List<String> args = new ArrayList<>();
		args.add("--spring.mongodb.uri=" + uri);
		args.add("--spring.mongodb.database=" + OtherClient.DATABASE);
		List.of(properties).forEach((property) -> args.add("--" + property));
		return new SpringApplicationBuilder(Auto.class, source).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties(DEFAULTS)
			.run(args.toArray(String[]::new));
	}

	/**
	 * Wait until all threads of the applications that were closed have ended: a request
	 * that was underway ends with the connections, and may log so.
	 */
	static void awaitNoThreads() {
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.filteredOn((name) -> name.startsWith("mongo-lock-"))
				.filteredOn((name) -> !name.startsWith("mongo-lock-embedded"))
				.isEmpty());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Auto {

	}

}
