package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TimedStatements}.
 */
class TimedStatementsTests {

	private final MongoOperations template = Mockito.mock();

	private final MongoCollection<Document> documents = Mockito.mock();

	private final MongoCollection<Document> limited = Mockito.mock();

	private final TimedStatements statements = new TimedStatements(this.template, Duration.ofSeconds(3));

	@Test
	void whenOutsideOfTransactionThenStatementHasLimit() {
		template(this.documents);
		BDDMockito.given(this.documents.withTimeout(3_000, TimeUnit.MILLISECONDS)).willReturn(this.limited);
		assertThat(this.statements.<Object>execute("orders", (orders) -> orders)).isSameAs(this.limited);
	}

	@Test
	void whenInTransactionThenLimitIsItsOwn() {
		@SuppressWarnings("unchecked")
		MongoCollection<Document> ofSession = (MongoCollection<Document>) new ProxyFactory(this.documents).getProxy();
		template(ofSession);
		assertThat(this.statements.<Object>execute("orders", (orders) -> orders)).isSameAs(ofSession);
	}

	@Test
	void whenDatabaseIsAskedThenStatementHasLimit() {
		MongoDatabase database = Mockito.mock();
		MongoDatabase limitedDatabase = Mockito.mock();
		BDDMockito.given(this.template.execute(BDDMockito.<DbCallback<Object>>any()))
			.willAnswer((call) -> call.<DbCallback<?>>getArgument(0).doInDB(database));
		BDDMockito.given(database.withTimeout(3_000, TimeUnit.MILLISECONDS)).willReturn(limitedDatabase);
		assertThat(this.statements.execute((DbCallback<Object>) (found) -> found)).isSameAs(limitedDatabase);
	}

	@Test
	void whenTimeoutIsZeroThenStatementIsNotUnlimited() {
		template(this.documents);
		BDDMockito.given(this.documents.withTimeout(1, TimeUnit.MILLISECONDS)).willReturn(this.limited);
		assertThat(new TimedStatements(this.template, Duration.ZERO).<Object>execute("orders", (orders) -> orders))
			.isSameAs(this.limited);
	}

	private void template(MongoCollection<Document> collection) {
		BDDMockito.given(this.template.execute(BDDMockito.eq("orders"), BDDMockito.<CollectionCallback<Object>>any()))
			.willAnswer((call) -> call.<CollectionCallback<?>>getArgument(1).doInCollection(collection));
	}

}
