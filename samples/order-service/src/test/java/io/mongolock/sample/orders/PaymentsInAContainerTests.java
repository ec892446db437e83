package io.mongolock.sample.orders;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mongodb.MongoDBContainer;

import io.mongolock.test.server.Docker;

/**
 * Tests for the application with a real MongoDB in a container.
 */
@SpringBootTest
@Testcontainers
class PaymentsInAContainerTests extends PaymentsOnARealServer {

	@Container
	@ServiceConnection
	static final MongoDBContainer MONGO = new MongoDBContainer(Docker.image()).withReplicaSet();

}
