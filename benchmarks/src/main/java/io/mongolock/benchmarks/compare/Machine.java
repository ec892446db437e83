package io.mongolock.benchmarks.compare;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What this was measured on, for the report.
 */
final class Machine {

	private Machine() {
	}

	static String describe() {
		return String.format(Locale.ROOT, "%d processors (%s), load %.1f at the start, %s %s, Java %s (%s)",
				Runtime.getRuntime().availableProcessors(), processor(),
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), System.getProperty("os.name"),
				System.getProperty("os.arch"), System.getProperty("java.version"), System.getProperty("java.vm.name"));
	}

	private static String processor() {
		try {
			return Files.readAllLines(Path.of("/proc/cpuinfo"))
				.stream()
				.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).trim())
				.findFirst()
				.orElse("unknown");
		}
		catch (IOException ex) {
			return "unknown";
		}
	}

}
