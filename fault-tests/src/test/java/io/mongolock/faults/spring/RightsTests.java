package io.mongolock.faults.spring;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;

import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The user of the connection lacks rights: the application starts all the same.
 */
@ExtendWith(OutputCaptureExtension.class)
class RightsTests {

	@Test
	@ShowsRow(value = 31, level = Level.SPRING)
	void withoutTheRightToCreateIndexesLocksWork(RowFigures figures, CapturedOutput output) {
		figures.server(RowFigures.EMBEDDED);
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				OtherClient other = new OtherClient(mongo.connectionString());
				ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), NoIndexes.class)) {
			assertThat(output).containsOnlyOnce("The TTL index on 'touchedAt'")
				.contains("not authorized")
				.contains("db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})")
				.doesNotContain("\tat ");
			context.getBean(Guarded.class).run("a", () -> assertThat(other.seesHeld(Guarded.key("a"))).isTrue());
			assertThat(other.seesHeld(Guarded.key("a"))).isFalse();
		}
	}

	@Test
	@ShowsRow(value = 31, level = Level.SPRING)
	void aUserWhoMayOnlyReadIsToldAtTheFirstClaim(RowFigures figures) {
		figures.server(RowFigures.EMBEDDED);
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), ReadOnly.class)) {
			Guarded guarded = context.getBean(Guarded.class);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> guarded.run("a", () -> {
			}))
				.withMessageContaining("it was refused")
				.withMessageContaining("privileges find, insert and update on the collection 'locks'");
		}
	}

	private static BeanPostProcessor refusing(String... methods) {
		return new BeanPostProcessor() {
			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return (bean instanceof MongoDatabaseFactory factory) ? RefusingDatabase.refuse(factory, methods)
						: bean;
			}
		};
	}

	@Import(Guarded.class)
	static class NoIndexes {

		@Bean
		static BeanPostProcessor user() {
			return refusing("createIndex", "createIndexes");
		}

	}

	@Import(Guarded.class)
	static class ReadOnly {

		@Bean
		static BeanPostProcessor user() {
			return refusing("createIndex", "createIndexes", "findOneAndUpdate", "updateOne", "bulkWrite");
		}

	}

}
