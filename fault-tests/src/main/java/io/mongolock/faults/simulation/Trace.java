package io.mongolock.faults.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What happened in a history, as a table for diagnostics. Writes nothing unless asked to.
 */
final class Trace {

	private final boolean on;

	private final List<String> lines = new ArrayList<>();

	private Set<String> active = new LinkedHashSet<>();

	Trace(boolean on) {
		this.on = on;
	}

	/** All that have done anything since this was last asked. */
	Set<String> active() {
		Set<String> active = this.active;
		if (!active.isEmpty()) {
			this.active = new LinkedHashSet<>();
		}
		return active;
	}

	void add(long time, String who, String event, Object... subject) {
		this.active.add(who);
		if (this.on) {
			StringBuilder more = new StringBuilder();
			for (Object part : subject) {
				more.append(part).append(' ');
			}
			this.lines.add(String.format(Locale.ROOT, "%12.6f  %-6s  %-26s  %s", time / 1e9, who, event, more)
				.stripTrailing());
		}
	}

	String toTable() {
		return String.format("%12s  %-6s  %-26s  %s%n", "seconds", "who", "event", "about")
				+ String.join(System.lineSeparator(), this.lines) + System.lineSeparator();
	}

}
