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
				"The profile 'docker' starts MongoDB by compose.yaml, and Docker does not answer: "
						+ cause.getMessage(),
				"Start Docker; or leave the profile out, then the application has an embedded server; or name a server "
						+ "of yours instead of the profile, by --spring.mongodb.uri=mongodb://…",
				cause);
	}

}
