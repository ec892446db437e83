package io.mongolock.spi;

import org.jspecify.annotations.Nullable;

/**
 * The application cannot start as it is: printed with its reason as a problem and a way
 * out, instead of a stack trace.
 */
public class LockStartupException extends IllegalStateException {

	private final String problem;

	private final String action;

	/**
	 * Explain why.
	 * @param problem what is wrong, in full sentences
	 * @param action what to do about it, in full sentences
	 */
	public LockStartupException(String problem, String action) {
		this(problem, action, null);
	}

	/**
	 * Explain why.
	 * @param problem what is wrong, in full sentences
	 * @param action what to do about it, in full sentences
	 * @param cause what revealed it, if anything
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
	 * The way out.
	 * @return full sentences
	 */
	public String getAction() {
		return this.action;
	}

}
