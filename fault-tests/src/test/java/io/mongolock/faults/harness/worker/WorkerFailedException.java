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

	/**
	 * What was thrown in the worker.
	 * @return the name of its class, empty if the worker has ended
	 */
	public String getType() {
		return this.type;
	}

}
