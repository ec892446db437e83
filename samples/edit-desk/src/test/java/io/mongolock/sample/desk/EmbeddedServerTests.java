package io.mongolock.sample.desk;

import com.mongodb.ConnectionString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EmbeddedServerConfiguration}.
 */
class EmbeddedServerTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(EmbeddedServerConfiguration.class);

	@Test
	void whereNoServerIsNamedThereIsOneInThisProcess() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(EmbeddedMongo.class)
			.hasSingleBean(MongoConnectionDetails.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "uri=mongodb://db/desk", "host=db", "port=27018" })
	void aServerThatIsNamedIsUsed(String property) {
		this.runner.withPropertyValues("spring.mongodb." + property)
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedMongo.class));
	}

	@Test
	void aServiceConnectionIsUsed() {
		this.runner.withBean(MongoConnectionDetails.class, () -> () -> new ConnectionString("mongodb://db/desk"))
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedMongo.class));
	}

}
