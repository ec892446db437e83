package io.mongolock.mongodb.autoconfigure;

/**
 * It is not clear which template the application writes its own documents with.
 */
class SeveralTemplatesException extends IllegalStateException {

	private final String problem;

	private final String action;

	SeveralTemplatesException(String problem, String action) {
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
