package io.mongolock.spi;

import org.jspecify.annotations.Nullable;

/**
 * The application cannot start as it is. Spring Boot prints the problem and the advice
 * instead of a stack trace.
 */
public class LockStartupException extends IllegalStateException {

	private final String problem;

	private final String action;

	/**
	 * Create a new exception.
	 * @param problem the problem, in full sentences
	 * @param action the advice, in full sentences
	 */
	public LockStartupException(String problem, String action) {
		this(problem, action, null);
	}

	/**
	 * Create a new exception.
	 * @param problem the problem, in full sentences
	 * @param action the advice, in full sentences
	 * @param cause the exception that revealed it, if any
	 */
	public LockStartupException(String problem, String action, @Nullable Throwable cause) {
		super(problem + " " + action, cause);
		this.problem = problem;
		this.action = action;
	}

	/**
	 * The problem.
	 * @return full sentences
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * The advice.
	 * @return full sentences
	 */
	public String getAction() {
		return this.action;
	}

}
