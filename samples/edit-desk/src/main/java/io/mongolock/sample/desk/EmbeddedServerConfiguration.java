package io.mongolock.sample.desk;

import java.time.InstantSource;

import com.mongodb.ConnectionString;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Only this sample needs this, to run on a machine without MongoDB: without
 * {@code spring.mongodb.uri} there is a server in this process, whose data lives in
 * memory only.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "spring.mongodb.uri", matchIfMissing = true, havingValue = "embedded")
class EmbeddedServerConfiguration {

	@Bean
	EmbeddedMongo embeddedMongo(ObjectProvider<InstantSource> clock) {
		return EmbeddedMongo.builder().clock(clock.getIfAvailable(InstantSource::system)).start();
	}

	@Bean
	MongoConnectionDetails mongoConnectionDetails(EmbeddedMongo server) {
		return () -> new ConnectionString(server.connectionString() + "/desk");
	}

}
