package io.mongolock.sample.orders;

import com.mongodb.WriteConcern;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

import io.mongolock.LockOwner;

/**
 * Orders that are paid through any of several instances.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class OrderServiceApplication {

	public static void main(String[] args) {
		SpringApplication.run(OrderServiceApplication.class, args);
	}

	/**
	 * Names this instance by its host and port, which people know, not by random digits.
	 * @param application the name of the application
	 * @param port where it listens; of any port its process tells it apart
	 * @return who holds the locks of this instance
	 */
	@Bean
	static LockOwner lockOwner(@Value("${spring.application.name}") String application,
			@Value("${server.port:8080}") int port) {
		String host = System.getenv().getOrDefault("HOSTNAME", "localhost");
		long pid = ProcessHandle.current().pid();
		return new LockOwner(application, host + ":" + ((port > 0) ? port : "pid" + pid), host, pid, "");
	}

	/**
	 * What was accepted stays, whichever member of a replica set dies next.
	 * @return asks for the majority, after the connection string
	 */
	@Bean
	static MongoClientSettingsBuilderCustomizer confirmedByTheMajority() {
		return (settings) -> settings.writeConcern(WriteConcern.MAJORITY);
	}

}
