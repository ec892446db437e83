package io.mongolock.store.mongo;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.mongolock.test.embedded.GivenServer;

/**
 * Runs a test class on the real server that {@code MONGO_LOCK_TEST_URI} names, and says
 * what is left out without one.
 */
class RealServerCondition implements ExecutionCondition {

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		if (GivenServer.uri().isPresent()) {
			return ConditionEvaluationResult.enabled(GivenServer.NAME + " is set");
		}
		String reason = "Skipped " + context.getDisplayName() + ", which needs a real MongoDB: set " + GivenServer.NAME
				+ "=mongodb://… as environment variable or system property";
		System.out.println(reason);
		return ConditionEvaluationResult.disabled(reason);
	}

}
