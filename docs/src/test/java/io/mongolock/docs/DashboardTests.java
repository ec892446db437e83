package io.mongolock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard for Grafana and the alerting rules for Prometheus ask for the meters that
 * the code has, and for no others.
 */
class DashboardTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();

	private static final Path GRAFANA = ROOT.resolve("docs/grafana");

	private static final Pattern METER = Pattern
		.compile("(?:(\\w+)(?:\\.builder)?\\(\\s*)?\"(mongo\\.lock\\.[a-z.]+)\"");

	private static final Pattern SERIES = Pattern.compile("\\bmongo_lock_\\w+");

	private static final List<String> TIMER = List.of("_seconds", "_seconds_count", "_seconds_sum", "_seconds_max");

	/** What Prometheus makes of the name of a meter, by what builds it. */
	private static final Map<String, List<String>> ENDINGS = Map.of("Timer", TIMER, "timer", TIMER, "Counter",
			List.of("_total"), "Gauge", List.of(""), "TimeGauge", List.of("_seconds"), "DistributionSummary",
			List.of("_count", "_sum", "_max"));

	@Test
	void everyMeterOfTheCodeIsOnTheDashboard() throws IOException {
		TreeSet<String> shown = series(expressions());
		assertThat(meters()).hasSizeGreaterThan(10)
			.allSatisfy((meter, series) -> assertThat(series).as("docs/grafana does not show %s", meter)
				.anyMatch(shown::contains));
	}

	@Test
	void theDashboardAndTheAlertsAskForMetersOfTheCode() throws IOException {
		List<String> known = meters().values().stream().flatMap(List::stream).toList();
		assertThat(series(expressions())).hasSizeGreaterThan(10).isSubsetOf(known);
		assertThat(series(rules().map((rule) -> rule.get("expr").toString()))).hasSizeGreaterThan(5).isSubsetOf(known);
	}

	/**
	 * Of what appears with its first value Prometheus sees no increase. An alert that
	 * asks for an earlier increase, too, needs no such care.
	 */
	@Test
	void aNewSeriesCountsAsAnIncreaseToo() throws IOException {
		List<String> counts = Stream.concat(rules().map((rule) -> rule.get("expr").toString()), expressions())
			.filter((expr) -> expr.contains("increase(") && !expr.contains("\"granted\"")
					&& !expr.contains("offset 3m"))
			.map((expr) -> expr.replaceAll("\\s+", " "))
			.toList();
		assertThat(counts).hasSize(5).allSatisfy((expr) -> {
			Matcher increase = Pattern.compile("or increase\\((\\w+)(\\{.*?\\})?\\[(.+?)]\\)").matcher(expr);
			assertThat(increase.find()).as(expr).isTrue();
			String whole = increase.group(1) + ((increase.group(2) != null) ? increase.group(2) : "");
			String before = " offset " + increase.group(3);
			// a scrape that failed ends all series: what is missing then is not new
			assertThat(expr.replaceAll("up\\{[^}]*}", "up")).contains("(" + whole + " unless " + increase.group(1))
				.contains(before + ") and on (job, instance) (up" + before + " == 1) or increase(" + whole);
		});
	}

	@Test
	void theAlertsHaveTheseLimits() {
		Pattern limit = Pattern.compile("[<>] [\\d.]+$");
		assertThat(rules().map((rule) -> {
			Matcher found = limit.matcher(rule.get("expr").toString().strip());
			return rule.get("alert") + ((found.find()) ? " " + found.group() : "") + " for " + rule.get("for");
		})).containsExactly("MongoLockLost > 0 for null", "MongoLockTakenOver > 3 for null",
				"MongoLockLeaseNearlyOver > 0.8 for null", "MongoLockStoreFails > 0 for null",
				"MongoLockStuck > 0 for 10m", "MongoLockTimeouts > 0.1 for 10m", "MongoLockJobOverdue > 900 for 2m",
				"MongoLockClockOff > 1 for 10m", "MongoLockServerClockOff > 0 for 5m");
	}

	@Test
	void everyAlertNamesAnEntryOfTheRunbook() throws IOException {
		String runbook = Files.readString(ROOT.resolve("docs/operating.md")).toLowerCase(Locale.ROOT);
		assertThat(rules()).hasSizeGreaterThan(5).allSatisfy((rule) -> {
			String entry = ((Map<?, ?>) rule.get("annotations")).get("runbook").toString();
			assertThat(runbook).contains("\n### " + entry.replace("docs/operating.md: ", ""));
		});
	}

	private static Map<String, List<String>> meters() throws IOException {
		Map<String, List<String>> meters = new TreeMap<>();
		for (String source : sources()) {
			METER.matcher(source)
				.results()
				.forEach((meter) -> meters.put(meter.group(2), series(meter.group(2), meter.group(1))));
		}
		return meters;
	}

	private static List<String> series(String meter, @Nullable String builder) {
		List<String> endings = (builder != null) ? ENDINGS.getOrDefault(builder, TIMER) : TIMER;
		return endings.stream().map((ending) -> meter.replace('.', '_') + ending).toList();
	}

	private static List<String> sources() throws IOException {
		List<String> sources = new ArrayList<>();
		for (String folder : List.of("mongo-lock-autoconfigure/src/main/java/io/mongolock/observation",
				"mongo-lock-jobs/src/main/java/io/mongolock/jobs")) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
				files.filter((file) -> file.toString().endsWith(".java"))
					.map(DashboardTests::read)
					.forEach(sources::add);
			}
		}
		return sources;
	}

	private static Stream<String> expressions() {
		return Document.parse(read(GRAFANA.resolve("mongo-lock-dashboard.json")))
			.getList("panels", Document.class)
			.stream()
			.flatMap((panel) -> panel.getList("targets", Document.class).stream())
			.map((target) -> target.getString("expr"));
	}

	private static Stream<Map<?, ?>> rules() {
		Map<String, List<Map<String, List<Map<?, ?>>>>> alerts = new Yaml().load(read(GRAFANA.resolve("alerts.yaml")));
		return alerts.get("groups").stream().flatMap((group) -> group.get("rules").stream());
	}

	private static TreeSet<String> series(Stream<String> expressions) {
		return expressions.flatMap((expression) -> SERIES.matcher(expression).results())
			.map((series) -> series.group())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
