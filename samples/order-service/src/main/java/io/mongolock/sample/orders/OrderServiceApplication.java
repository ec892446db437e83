package io.mongolock.sample.orders;

import com.mongodb.WriteConcern;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

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
	 * What was accepted stays, whichever member of a replica set dies next.
	 * @return asks for the majority, after the connection string
	 */
	@Bean
	static MongoClientSettingsBuilderCustomizer confirmedByTheMajority() {
		return (settings) -> settings.writeConcern(WriteConcern.MAJORITY);
	}

}
