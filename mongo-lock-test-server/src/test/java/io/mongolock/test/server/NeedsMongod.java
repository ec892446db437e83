package io.mongolock.test.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Marks a test class that starts servers, and says in one line if there is nothing to
 * start.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsMongod.Condition.class)
@interface NeedsMongod {

	/**
	 * Looks for an executable.
	 */
	class Condition implements ExecutionCondition {

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			Optional<MongodBinary> binary = MongodBinary.find();
			if (binary.isPresent()) {
				return ConditionEvaluationResult.enabled(binary.toString());
			}
			String reason = "Not run: " + context.getDisplayName() + ", which needs a mongod: set " + MongodBinary.NAME
					+ " to one, which config/mongod.sh brings";
			if (context.getTestMethod().isEmpty()) {
				TestOutput.say(reason);
			}
			return ConditionEvaluationResult.disabled(reason);
		}

	}

}
