package io.mongolock.sample.orders.server;

import com.mongodb.client.MongoClient;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.mongolock.sample.orders.OrderServiceProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MongoServerConfiguration}.
 */
class MongoServerTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoAutoConfiguration.class))
		.withUserConfiguration(Application.class);

	@Test
	void whereNoServerIsNamedThereIsOneInThisProcess() {
		this.runner.withPropertyValues("orders.embedded-port=0").run((context) -> {
			assertThat(context.getBean(MongoServer.class).runsHere()).isTrue();
			assertThat(context.getBean(MongoClient.class).getDatabase("orders").runCommand(new Document("hello", 1)))
				.as("a replica set, which has a change stream")
				.containsKey("setName");
		});
	}

	@ParameterizedTest
	@CsvSource({ "uri=mongodb://localhost:1/orders, localhost:1", "host=127.0.0.1, 127.0.0.1", "port=1, localhost:1" })
	void aServerThatIsNamedIsUsed(String property, String server) {
		this.runner.withPropertyValues("spring.mongodb." + property)
			.run((context) -> assertThat(context.getBean(MongoServer.class))
				.hasToString("the configured MongoDB server " + server));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(OrderServiceProperties.class)
	@Import(MongoServerConfiguration.class)
	static class Application {

	}

}
