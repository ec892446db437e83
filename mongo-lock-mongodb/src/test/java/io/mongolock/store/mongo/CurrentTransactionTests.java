package io.mongolock.store.mongo;

import com.mongodb.client.ClientSession;
import com.mongodb.session.ServerSession;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;

/**
 * Tests for the snapshot of a {@link CurrentTransaction}.
 */
class CurrentTransactionTests {

	private final ClientSession session = Mockito.mock(ClientSession.class);

	private final MongoDatabaseFactory factory = Mockito.mock(MongoDatabaseFactory.class);

	@Test
	void thereIsASnapshotOnceAStatementOfTheTransactionWasAnswered() {
		BDDMockito.given(this.factory.getSession(any())).willReturn(this.session);
		BDDMockito.given(this.factory.withSession(any(ClientSession.class))).willReturn(this.factory);
		BDDMockito.given(this.session.getServerSession()).willReturn(Mockito.mock(ServerSession.class));
		BDDMockito.given(this.session.hasActiveTransaction()).willReturn(true);
		assertThat(CurrentTransaction.hasSnapshot()).isFalse();
		new TransactionTemplate(new MongoTransactionManager(this.factory)).executeWithoutResult((status) -> {
			assertThat(CurrentTransaction.hasSnapshot()).isFalse();
			BDDMockito.given(this.session.getOperationTime()).willReturn(new BsonTimestamp(1, 1));
			assertThat(CurrentTransaction.hasSnapshot()).isTrue();
		});
		assertThat(CurrentTransaction.hasSnapshot()).isFalse();
	}

}
