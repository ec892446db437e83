package io.mongolock.sample.orders;

import org.springframework.boot.test.context.SpringBootTest;

/**
 * Tests for the application with the MongoDB of compose.yaml.
 */
@SpringBootTest(properties = { "spring.profiles.active=docker", "spring.docker.compose.skip.in-tests=false",
		"spring.docker.compose.stop.command=down" })
class PaymentsByComposeTests extends PaymentsOnARealServer {

}
