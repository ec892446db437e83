package io.mongolock.sample.desk;

import com.mongodb.WriteConcern;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * A desk at which one person at a time edits an article.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class EditDeskApplication {

	public static void main(String[] args) {
		SpringApplication.run(EditDeskApplication.class, args);
	}

	/**
	 * What was saved stays, whichever member of a replica set dies next.
	 * @return asks for the majority, after the connection string
	 */
	@Bean
	static MongoClientSettingsBuilderCustomizer confirmedByTheMajority() {
		return (settings) -> settings.writeConcern(WriteConcern.MAJORITY);
	}

}
