package io.mongolock.faults.harness.register;

import java.util.List;

/**
 * How many operations on how many registers were judged, and those of which no order
 * explains all, each with what led to it. Immutable.
 */
public record RegisterReport(int registers, int operations, List<String> refusals) {

	@Override
	public String toString() {
		return "%d operations on %d registers, %d refused%s".formatted(this.operations, this.registers,
				this.refusals.size(), String.join("", this.refusals.stream().map((one) -> "\n" + one).toList()));
	}

}
