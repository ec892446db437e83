package io.mongolock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.mongolock.spi.LockStartupException;

/**
 * Explains a {@link LockStartupException}.
 */
class LockStartupFailureAnalyzer extends AbstractFailureAnalyzer<LockStartupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStartupException cause) {
		return new FailureAnalysis(cause.getProblem(), cause.getAction(), cause);
	}

}
