package io.mongolock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.mongolock.interceptor.InvalidLockMethodException;

/**
 * Explains an {@link InvalidLockMethodException}.
 */
class InvalidLockMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockMethodException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockMethodException cause) {
		return new FailureAnalysis(cause.getProblem() + ".", cause.getAction(), cause);
	}

}
