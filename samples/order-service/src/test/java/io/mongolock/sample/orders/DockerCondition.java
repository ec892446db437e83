package io.mongolock.sample.orders;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.mongolock.test.server.Docker;
import io.mongolock.test.server.TestOutput;

/**
 * Runs a test class where Docker answers, and says in one line what is left out where it
 * does not. {@code @Testcontainers(disabledWithoutDocker = true)} says so, too, in pages
 * and after seconds.
 */
class DockerCondition implements ExecutionCondition {

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		if (Docker.answers()) {
			return ConditionEvaluationResult.enabled("Docker answers");
		}
		String reason = "Skipped " + context.getDisplayName() + ", which needs Docker: start it to run them";
		TestOutput.say(reason);
		return ConditionEvaluationResult.disabled(reason);
	}

}
