package io.mongolock.sample.desk;

import java.time.InstantSource;

import com.mongodb.ConnectionString;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Only this sample needs this, to run on a machine without MongoDB: unless
 * {@code spring.mongodb.uri}, the host or the port, or a service connection names one,
 * there is a server in this process, whose data lives in memory only.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "spring.mongodb", name = { "uri", "host", "port" }, matchIfMissing = true,
		havingValue = "embedded")
@ConditionalOnMissingBean(MongoConnectionDetails.class)
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
