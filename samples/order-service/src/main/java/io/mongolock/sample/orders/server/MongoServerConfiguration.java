package io.mongolock.sample.orders.server;

import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
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

	// First, so that what a connection string says wins
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer quickAnswers() {
		return (settings) -> settings
			.applyToClusterSettings((cluster) -> cluster.serverSelectionTimeout(2, TimeUnit.SECONDS))
			.applyToSocketSettings(
					(socket) -> socket.connectTimeout(2, TimeUnit.SECONDS).readTimeout(10, TimeUnit.SECONDS));
	}

	// Nested configurations are looked at before
	@Bean
	@ConditionalOnMissingBean
	MongoServer mongoServer(MongoConnectionDetails connection) {
		ConnectionString uri = connection.getConnectionString();
		return MongoServer.configured(uri.getConnectionString(), uri.getHosts());
	}

	/**
	 * Unless {@code spring.mongodb.uri}, the host or the port, or a service connection,
	 * of Docker Compose or of a test, names another.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(prefix = "spring.mongodb", name = { "uri", "host", "port" }, matchIfMissing = true,
			havingValue = "embedded")
	@ConditionalOnMissingBean(MongoConnectionDetails.class)
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
