package io.mongolock.faults.drills;

/**
 * An alert of {@code docs/grafana} that fires.
 */
record FiredAlert(String name, String severity) {

	/** Whether somebody is called. */
	boolean pages() {
		return this.severity.equals("critical");
	}

	String labels() {
		return "{alertname=\"%s\", severity=\"%s\"}".formatted(this.name, this.severity);
	}

}
