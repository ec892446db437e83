package io.mongolock.docs;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mongodb.MongoDBContainer;

/**
 * What docs/testing.md shows of containers, so that it is compiled. The sample runs it.
 */
class OrdersInAContainer {

	@SpringBootTest
	@Testcontainers(disabledWithoutDocker = true)
	static class ContainerTests {

		@Container
		@ServiceConnection
		static final MongoDBContainer MONGO = new MongoDBContainer("mongo:5.0.7").withReplicaSet();

	}

}
