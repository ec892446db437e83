package io.mongolock.autoconfigure;

/**
 * The application cannot start with locks.
 */
class LockStartupException extends IllegalStateException {

	private final String problem;

	private final String action;

	LockStartupException(String problem, String action) {
		super(problem + " " + action);
		this.problem = problem;
		this.action = action;
	}

	String getProblem() {
		return this.problem;
	}

	String getAction() {
		return this.action;
	}

}
