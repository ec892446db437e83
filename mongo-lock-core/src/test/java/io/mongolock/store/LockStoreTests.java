package io.mongolock.store;

import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.mockito.Answers;
import org.mockito.Mockito;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willReturn;

/**
 * Tests for what {@link LockStore} does by itself.
 */
class LockStoreTests {

	private static final LeaseId LEASE = new LeaseId("k", "t");

	private static final LockStoreException FAILURE = new LockStoreException("k", Outcome.UNKNOWN, "no answer", null);

	@Test
	void whenTheAnswerHasTheFailureOfARenewalThenTheLeaseDoesNotCountAsGone() {
		LockStore store = Mockito.mock(LockStore.class, Answers.CALLS_REAL_METHODS);
		willReturn(new RenewalAnswer(0, Set.of(LEASE), FAILURE)).given(store).renewAll(any(), any(), any());
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.renew(LEASE, Duration.ofSeconds(1)))
			.isSameAs(FAILURE);
	}

}
