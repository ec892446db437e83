package io.mongolock.dashboard;

import com.mongodb.ConnectionString;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.annotation.Bean;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * An application with locks on an embedded server.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
class DashboardApplication {

	@Bean
	EmbeddedMongo server() {
		return EmbeddedMongo.start();
	}

	@Bean
	MongoConnectionDetails connection(EmbeddedMongo server) {
		return () -> new ConnectionString(server.connectionString() + "/dashboard");
	}

}
