package io.mongolock.faults.drills;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.LockOperations;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator sees of each {@link Drill}: an application with default settings on a
 * set of three with default settings. Prints a table, and writes what Prometheus scraped
 * as tests of the alerts. No build runs it; the README of this module says how to.
 */
class FailoverDrill {

	private static final Path TARGET = Path.of("target", "drills");

	private static final Duration BEFORE = Duration.ofMinutes(2);

	private static final Duration FAULT = Duration.ofMinutes(1);

	/** The longest of a fault that is to be paged. */
	private static final Duration LONG_FAULT = Duration.ofMinutes(7);

	private static final Duration AFTER = Duration.ofMinutes(4);

	/** Each scrape, and every second and every fourth. */
	private static final List<Integer> STEPS = List.of(1, 2, 4);

	private static final String NOT_EVALUATED = "not evaluated: promtool is missing";

	private static final Map<Drill, String> ROWS = new ConcurrentHashMap<>();

	@BeforeAll
	static void createFolder() throws IOException {
		Files.createDirectories(TARGET);
	}

	@ParameterizedTest
	@EnumSource
	@Execution(ExecutionMode.CONCURRENT)
	void drill(Drill drill) throws Exception {
		MongodBinary mongod = MongodBinary.find().orElseThrow();
		try (SlowDisk disks = SlowDisk.of(drill);
				RealMongo set = RealMongo.builder(mongod)
					.replicaSet(3)
					.usualElections()
					.machines()
					.environment((member) -> disks.variables())
					.start();
				ConfigurableApplicationContext context = start(set)) {
			SeriesRecorder series = new SeriesRecorder(context.getBean(PrometheusMeterRegistry.class)::scrape);
			HealthIndicator health = context.getBean("mongoLockHealthIndicator", HealthIndicator.class);
			HealthProbe probe = new HealthProbe(health);
			System.out.println(name(drill) + " on " + set);
			try (Work work = new Work(context.getBean(LockOperations.class))) {
				probe.begin();
				long begun = scrape(series, System.nanoTime(), BEFORE);
				drill.begin(set);
				drill.begin(disks);
				begun = scrape(series, begun, (drill.pages().contains(Drill.STORE_FAILS)) ? LONG_FAULT : FAULT);
				disks.delay(Duration.ZERO);
				set.heal();
				scrape(series, begun, AFTER);
				Set<String> pages = pages(drill, series);
				ROWS.put(drill,
						"| %s | %d of %d | %d | %.1f s | %d s | %s |".formatted(name(drill), work.lost(), work.held(),
								work.failed(), work.longestWithoutGrants().toMillis() / 1000.0,
								probe.down().toSeconds(), String.join(" or ", pages)));
				assertThat(work.lost() > 0).isEqualTo(drill.pages().contains(Drill.LOST));
				assertThat(pages).isSubsetOf(names(drill.pages().stream()), NOT_EVALUATED);
			}
			finally {
				probe.close();
			}
		}
	}

	// Scrapes are times of a fixed rate, however long one takes
	private static long scrape(SeriesRecorder series, long begun, Duration during) {
		long next = begun;
		for (; next - begun < during.toNanos(); next += SeriesRecorder.SCRAPE.toNanos()) {
			for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			series.scrape();
		}
		return next;
	}

	// One text if they are the same at all intervals between scrapes; writes tests that
	// expect what fired
	private static Set<String> pages(Drill drill, SeriesRecorder series) throws IOException {
		if (!Promtool.isInstalled()) {
			return Set.of(NOT_EVALUATED);
		}
		Set<String> pages = new TreeSet<>();
		StringBuilder tests = new StringBuilder();
		for (int step : STEPS) {
			List<FiredAlert> fired = Promtool.fired(series.test(name(drill), step, List.of()));
			tests.append(series.test(name(drill), step, fired));
			pages.add(names(fired.stream().filter(FiredAlert::pages).map(FiredAlert::name)));
		}
		Files.writeString(TARGET.resolve(drill.name().toLowerCase() + ".yaml"), tests);
		return pages;
	}

	private static String names(Stream<String> alerts) {
		String names = alerts.sorted().collect(Collectors.joining(", "));
		return (names.isEmpty()) ? "none" : names;
	}

	private static String name(Drill drill) {
		return drill.name().toLowerCase().replace('_', ' ');
	}

	private static ConfigurableApplicationContext start(RealMongo set) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.run("--spring.mongodb.uri=" + set.connectionString(), "--spring.mongodb.database=drill",
					"--spring.application.name=shop");
	}

	@AfterAll
	static void print() throws IOException {
		StringBuilder table = new StringBuilder(
				"| fault | locks lost | work failed | longest without grants | health down | pages sent |\n");
		table.append("|---|---|---|---|---|---|\n");
		for (Drill drill : Drill.values()) {
			table.append(ROWS.getOrDefault(drill, "| " + drill + " | – | | | | |")).append('\n');
		}
		System.out.println(table);
		Files.writeString(TARGET.resolve("table.md"), table);
	}

	/**
	 * For how long the health was down: what a probe that hangs says counts from the one
	 * before. One thread probes, and its figures are read when it has ended.
	 */
	private static final class HealthProbe {

		private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

		private final AtomicLong down = new AtomicLong();

		private final HealthIndicator health;

		private long last;

		HealthProbe(HealthIndicator health) {
			this.health = health;
		}

		void begin() {
			this.last = System.nanoTime();
			this.timer.scheduleWithFixedDelay(this::probe, 1, 1, TimeUnit.SECONDS);
		}

		private void probe() {
			boolean isDown = Status.DOWN.equals(this.health.health(false).getStatus());
			long now = System.nanoTime();
			if (isDown) {
				this.down.addAndGet(now - this.last);
			}
			this.last = now;
		}

		Duration down() {
			return Duration.ofNanos(this.down.get());
		}

		void close() {
			this.timer.shutdownNow();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		PrometheusMeterRegistry prometheusMeterRegistry() {
			return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM);
		}

	}

}
