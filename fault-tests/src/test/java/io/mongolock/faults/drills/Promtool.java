package io.mongolock.faults.drills;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Evaluates the alerts of {@code docs/grafana}; comes with Prometheus.
 */
final class Promtool {

	private static final Path ALERTS = Path.of("..", "docs", "grafana", "alerts.yaml");

	private static final Pattern FIRED = Pattern.compile("\\{alertname=\"(\\w+)\", severity=\"(\\w+)\"}");

	private Promtool() {
	}

	static boolean isInstalled() {
		try {
			return new ProcessBuilder("promtool", "--version").start().onExit().join().exitValue() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * What fires in a test that expects no alert.
	 */
	static List<FiredAlert> fired(String test) throws IOException {
		Process promtool = new ProcessBuilder("promtool", "test", "rules", "/dev/stdin").redirectErrorStream(true)
			.start();
		try (Writer input = promtool.outputWriter()) {
			input.write("rule_files: [ %s ]%nevaluation_interval: 15s%ntests:%n%s".formatted(ALERTS.toAbsolutePath(),
					test));
		}
		String output = new String(promtool.getInputStream().readAllBytes());
		List<FiredAlert> fired = FIRED.matcher(output)
			.results()
			.map((alert) -> new FiredAlert(alert.group(1), alert.group(2)))
			.toList();
		if (fired.isEmpty() && promtool.onExit().join().exitValue() != 0) {
			throw new IllegalStateException("No answer of promtool: " + output);
		}
		return fired;
	}

}
