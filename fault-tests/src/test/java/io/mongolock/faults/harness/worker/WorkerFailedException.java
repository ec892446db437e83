package io.mongolock.faults.harness.worker;

/**
 * A worker could not do what it was asked, or has ended.
 */
public class WorkerFailedException extends RuntimeException {

	private final String type;

	WorkerFailedException(String type, String message) {
		super(message);
		this.type = type;
	}

	// The class of what was thrown in the worker, empty if that has ended
	public String getType() {
		return this.type;
	}

}
