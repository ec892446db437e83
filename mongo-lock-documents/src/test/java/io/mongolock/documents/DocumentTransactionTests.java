package io.mongolock.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.mongodb.client.ClientSession;
import org.junit.jupiter.api.Test;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.documents.DocumentTransaction.Kept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DocumentTransaction}.
 */
class DocumentTransactionTests {

	private final List<String> log = new ArrayList<>();

	@Test
	void whenSeveralLocksAreKeptThenAllArePausedBeforeARenewalIsAwaitedAndThatBeforeTheSnapshot() {
		DocumentTransaction transaction = new DocumentTransaction(Set.of());
		assertThatIllegalStateException().isThrownBy(() -> transaction.keep(List.of(kept("a"), kept("b"))))
			.withMessage("the snapshot");
		assertThat(this.log).containsExactly("begin a", "begin b", "await a", "await b");
	}

	private Kept kept(String name) {
		return new Kept() {

			@Override
			public MongoTemplate template() {
				throw new IllegalStateException("the snapshot");
			}

			@Override
			public boolean beginKeep(DocumentTransaction transaction) {
				return DocumentTransactionTests.this.log.add("begin " + name);
			}

			@Override
			public void awaitRenewals() {
				DocumentTransactionTests.this.log.add("await " + name);
			}

			@Override
			public void renewIn(ClientSession session) {
			}

			@Override
			public void completed(DocumentTransaction transaction, int status) {
			}

		};
	}

}
