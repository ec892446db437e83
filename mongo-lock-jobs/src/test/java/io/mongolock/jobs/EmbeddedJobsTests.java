package io.mongolock.jobs;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Jobs on the embedded server.
 */
@Tag("slow")
class EmbeddedJobsTests extends AbstractJobsTests {

	private static final EmbeddedMongo SERVER = EmbeddedMongo.start();

	EmbeddedJobsTests() {
		super(SERVER.connectionString());
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

}
