package io.mongolock.faults.spring;

import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import org.junit.jupiter.api.AfterEach;
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
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The application starts whatever is wrong with the TTL index or with its rights.
 */
@ExtendWith(OutputCaptureExtension.class)
class TtlIndexRightsTests {

	private final TestServer server = TestServer.embedded();

	private final OtherClient other = this.server.otherClient();

	@AfterEach
	void stop() {
		this.other.close();
		this.server.close();
	}

	@Test
	@ShowsRow(value = 31, level = Level.B)
	void anIndexWithOtherOptionsIsReportedWithTheCommandThatMendsIt(RowFigures figures, CapturedOutput output)
			throws Exception {
		figures.server(this.server.label());
		this.other.collection()
			.createIndex(Indexes.ascending("touchedAt"), new IndexOptions().expireAfter(60L, TimeUnit.SECONDS));
		locksWork(GuardedApplication.class);
		assertThat(output).containsOnlyOnce("WARN")
			.contains(
					"db.runCommand({collMod: \"locks\", index: {name: \"touchedAt_1\", expireAfterSeconds: 604800}})");
	}

	@Test
	@ShowsRow(value = 31, level = Level.B)
	void withoutTheRightToCreateIndexesLocksWork(RowFigures figures, CapturedOutput output) throws Exception {
		figures.server(this.server.label());
		locksWork(NoIndexes.class);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("not authorized")
			.contains("db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})");
	}

	@Test
	@ShowsRow(value = 31, level = Level.B)
	void aReadOnlyUserIsToldAtTheFirstClaim(RowFigures figures) {
		figures.server(this.server.label());
		try (ConfigurableApplicationContext context = this.server.run(ReadOnly.class)) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(GuardedService.class).run(() -> "never"))
				.withMessageContaining("it was refused")
				.withMessageContaining("privileges find, insert and update on the collection 'locks'");
		}
	}

	private void locksWork(Class<?> application) throws Exception {
		try (ConfigurableApplicationContext context = this.server.run(application)) {
			assertThat(context.getBean(GuardedService.class).run(() -> this.other.isFree(GuardedService.KEY)))
				.isFalse();
			assertThat(this.other.isFree(GuardedService.KEY)).isTrue();
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

	@Import(GuardedApplication.class)
	static class NoIndexes {

		@Bean
		static BeanPostProcessor user() {
			return refusing("createIndex", "createIndexes");
		}

	}

	@Import(GuardedApplication.class)
	static class ReadOnly {

		@Bean
		static BeanPostProcessor user() {
			return refusing("createIndex", "createIndexes", "findOneAndUpdate", "updateOne", "bulkWrite");
		}

	}

}
