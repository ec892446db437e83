package io.mongolock.faults.drills;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.util.Assert;

/**
 * What Prometheus would have scraped of an application, as tests of {@code promtool} take
 * it. Not thread-safe.
 */
final class SeriesRecorder {

	static final Duration SCRAPE = Duration.ofSeconds(15);

	/** Those that alerts ask for, with the labels that a scrape has. */
	private static final Pattern SERIES = Pattern
		.compile("(mongo_lock_(?:lost_total|taken_over_total|acquire_seconds_count|lease_used_max|waiting"
				+ "|(?:store|server)_clock_offset_seconds))(?:\\{(.*)})? (\\S+)");

	private static final String MISSING = "_";

	private final Supplier<String> scrape;

	private final Map<String, List<String>> series = new TreeMap<>();

	private int scrapes;

	SeriesRecorder(Supplier<String> scrape) {
		this.scrape = scrape;
	}

	void scrape() {
		add("up", "", "1");
		this.scrape.get().lines().forEach((line) -> {
			Matcher sample = SERIES.matcher(line);
			if (sample.matches()) {
				add(sample.group(1), (sample.group(2) != null) ? "," + sample.group(2) : "", sample.group(3));
			}
		});
		this.scrapes++;
	}

	private void add(String name, String labels, String value) {
		List<String> samples = this.series.computeIfAbsent(name + "{job=\"shop\",instance=\"a\"" + labels + "}",
				(id) -> new ArrayList<>());
		samples.addAll(Collections.nCopies(this.scrapes - samples.size(), MISSING));
		samples.add(rounded(value));
	}

	private static String rounded(String value) {
		double number = Double.parseDouble(value);
		return (number == Math.rint(number)) ? Long.toString((long) number) : "%.3f".formatted(number);
	}

	/**
	 * A test of which alerts fire.
	 * @param name a name of what is tested
	 * @param step how many scrapes it is from one to the next
	 * @param fired those alerts
	 */
	String test(String name, int step, List<FiredAlert> fired) {
		Assert.state(this.scrapes > 0, "Nothing was scraped");
		String input = this.series.entrySet()
			.stream()
			.map((entry) -> "      - series: '%s'%n        values: '%s'%n".formatted(entry.getKey(),
					every(step, entry.getValue())))
			.collect(Collectors.joining());
		String alerts = fired.stream()
			.map((alert) -> "%n          - labels: '%s'%n            value: 1".formatted(alert.labels()))
			.collect(Collectors.joining());
		return """
				  - name: %s, scraped every %d s
				    interval: %2$ds
				    input_series:
				%s    promql_expr_test:
				      - expr: group by (alertname, severity) (last_over_time(ALERTS{alertstate="firing"}[1h]))
				        eval_time: %d%s
				""".formatted(name, step * SCRAPE.toSeconds(), input, this.scrapes * SCRAPE.toSeconds(),
				"s\n        exp_samples:" + ((alerts.isEmpty()) ? " []" : alerts));
	}

	private static String every(int step, List<String> samples) {
		List<String> some = IntStream.range(0, samples.size())
			.filter((i) -> i % step == 0)
			.mapToObj(samples::get)
			.toList();
		return (Set.copyOf(some).size() > 1) ? String.join(" ", some) : some.get(0) + "x" + (some.size() - 1);
	}

}
