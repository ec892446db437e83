package io.mongolock.store.mongo;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a test class on the real server that {@code MONGO_LOCK_TEST_URI} names, and says
 * what is left out without one.
 */
class RealServerCondition implements ExecutionCondition {

	static final String NAME = "MONGO_LOCK_TEST_URI";

	static String connectionString() {
		return System.getProperty(NAME, System.getenv(NAME));
	}

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		String uri = connectionString();
		if (uri != null && !uri.isBlank()) {
			return ConditionEvaluationResult.enabled(NAME + " is set");
		}
		String reason = "Skipped " + context.getDisplayName() + ", which needs a real MongoDB: set " + NAME
				+ "=mongodb://… as environment variable or system property";
		System.out.println(reason);
		return ConditionEvaluationResult.disabled(reason);
	}

}
