package io.mongolock.mongodb.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a {@link SeveralTemplatesException}.
 */
class SeveralTemplatesFailureAnalyzer extends AbstractFailureAnalyzer<SeveralTemplatesException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, SeveralTemplatesException cause) {
		return new FailureAnalysis(cause.getProblem(), cause.getAction(), cause);
	}

}
