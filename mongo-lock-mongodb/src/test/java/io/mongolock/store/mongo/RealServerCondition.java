package io.mongolock.store.mongo;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.SuiteServer;
import io.mongolock.test.server.TestOutput;

/**
 * Runs a test class on the real server of {@link SuiteServer}, and says what is left out
 * without one.
 */
public class RealServerCondition implements ExecutionCondition {

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		if (SuiteServer.get().uri().isPresent()) {
			return ConditionEvaluationResult.enabled(SuiteServer.get().toString());
		}
		String reason = "Skipped " + context.getDisplayName() + ", which needs a real MongoDB: set " + GivenServer.NAME
				+ "=mongodb://… as environment variable or system property, or start Docker";
		TestOutput.say(reason);
		return ConditionEvaluationResult.disabled(reason);
	}

}
