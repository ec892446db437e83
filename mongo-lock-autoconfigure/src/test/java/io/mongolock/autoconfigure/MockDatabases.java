package io.mongolock.autoconfigure;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.jspecify.annotations.Nullable;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.mockito.invocation.InvocationOnMock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoExceptionTranslator;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * Databases and templates that nobody asks for data.
 */
public final class MockDatabases {

	private MockDatabases() {
	}

	public static MongoDatabaseFactory database() {
		MongoDatabaseFactory factory = Mockito.mock(MongoDatabaseFactory.class);
		BDDMockito.given(factory.getExceptionTranslator()).willReturn(new MongoExceptionTranslator());
		MongoDatabase database = Mockito.mock(MongoDatabase.class, MockDatabases::answer);
		BDDMockito.given(database.getWriteConcern()).willReturn(WriteConcern.MAJORITY);
		BDDMockito.given(factory.getMongoDatabase()).willReturn(database);
		return factory;
	}

	// Deep stubs are not for several threads, and a start asks from another as well
	private static @Nullable Object answer(InvocationOnMock call) throws Throwable {
		Class<?> type = call.getMethod().getReturnType();
		if (type == MongoDatabase.class) {
			return call.getMock();
		}
		return (type == MongoCollection.class) ? Mockito.mock(MongoCollection.class, MockDatabases::answer)
				: Mockito.RETURNS_DEFAULTS.answer(call);
	}

	public static MongoTemplate template(MongoDatabaseFactory factory) {
		MongoTemplate template = Mockito.mock(MongoTemplate.class);
		BDDMockito.given(template.getMongoDatabaseFactory()).willReturn(factory);
		return template;
	}

	/** Two templates of one database. */
	@Configuration(proxyBeanMethods = false)
	public static class TwoTemplatesConfiguration {

		private final MongoDatabaseFactory database = database();

		@Bean
		MongoDatabaseFactory one() {
			return this.database;
		}

		@Bean
		MongoTemplate oneTemplate() {
			return template(this.database);
		}

		@Bean
		MongoTemplate otherTemplate() {
			return template(this.database);
		}

	}

	/** Two databases, of which one is primary. */
	@Configuration(proxyBeanMethods = false)
	public static class PrimaryConfiguration {

		@Bean
		@Primary
		MongoDatabaseFactory one() {
			return database();
		}

		@Bean
		MongoDatabaseFactory other() {
			return database();
		}

	}

}
