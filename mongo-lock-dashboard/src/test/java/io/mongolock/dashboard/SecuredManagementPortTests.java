package io.mongolock.dashboard;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The right to listen where the actuator has a port of its own.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=*", "management.server.port=0" })
@Import(ActuatorRules.class)
class SecuredManagementPortTests {

	private static final String EVENTS = "/actuator/mongolocks/events";

	@LocalManagementPort
	private int port;

	@Test
	void aVisitorWithoutTheRightToListenIsRefused() {
		assertThat(new Visitor(this.port, "customer").get(EVENTS, "text/event-stream").statusCode()).isEqualTo(403);
		assertThat(new Visitor(this.port, "").get(EVENTS, "text/event-stream").statusCode()).isEqualTo(401);
		new Visitor(this.port, "operator").stream(EVENTS).close();
	}

}
