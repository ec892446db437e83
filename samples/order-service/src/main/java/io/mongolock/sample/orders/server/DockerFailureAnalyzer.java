package io.mongolock.sample.orders.server;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.docker.compose.core.DockerException;

/**
 * Says what to do where the profile {@code docker} finds no Docker.
 */
class DockerFailureAnalyzer extends AbstractFailureAnalyzer<DockerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DockerException cause) {
		return new FailureAnalysis(
				"The profile 'docker' starts MongoDB by compose.yaml, but Docker does not answer: "
						+ cause.getMessage(),
				"Start Docker. Or leave out the profile: then the application has an embedded server. Or name your own "
						+ "server instead of the profile: --spring.mongodb.uri=mongodb://…",
				cause);
	}

}
