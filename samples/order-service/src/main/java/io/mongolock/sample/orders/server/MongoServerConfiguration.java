package io.mongolock.sample.orders.server;

import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import io.mongolock.sample.orders.OrderServiceProperties;

/**
 * Only this sample needs this, to run on a machine without MongoDB.
 */
@Configuration(proxyBeanMethods = false)
class MongoServerConfiguration {

	// first, so that what a connection string says wins
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer quickAnswers() {
		return (settings) -> settings
			.applyToClusterSettings((cluster) -> cluster.serverSelectionTimeout(2, TimeUnit.SECONDS))
			.applyToSocketSettings(
					(socket) -> socket.connectTimeout(2, TimeUnit.SECONDS).readTimeout(10, TimeUnit.SECONDS));
	}

	/**
	 * With {@code spring.mongodb.uri}.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty("spring.mongodb.uri")
	static class Configured {

		@Bean
		MongoServer mongoServer(MongoConnectionDetails connection) {
			ConnectionString uri = connection.getConnectionString();
			return MongoServer.configured(uri.getConnectionString(), uri.getHosts());
		}

	}

	/**
	 * Without it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "spring.mongodb.uri", matchIfMissing = true, havingValue = "embedded")
	static class Embedded {

		@Bean
		MongoServer mongoServer(OrderServiceProperties properties) {
			return MongoServer.embedded(properties.embeddedPort());
		}

		@Bean
		MongoConnectionDetails mongoConnectionDetails(MongoServer server) {
			return () -> new ConnectionString(server.uri() + "/orders");
		}

	}

}
