package io.mongolock.shedlock;

import java.time.Duration;

import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ExtendedLeases} on a store in trouble.
 */
@ExtendWith(OutputCaptureExtension.class)
class ExtendedLeasesTests {

	private final LockStore store = Mockito.mock();

	private final ExtendedLeases leases = new ExtendedLeases(() -> this.store, Duration.ofSeconds(3),
			ConfiguredSettings.NONE);

	@Test
	void aReleaseThatFailsIsLoggedAndNeitherThrownNorRepeated(CapturedOutput output) {
		SimpleLock lock = extended(Duration.ZERO);
		BDDMockito.given(this.store.release(ArgumentMatchers.any(), ArgumentMatchers.any()))
			.willThrow(new LockStoreException("k", Outcome.UNKNOWN, "no answer", null));
		lock.unlock();
		assertThat(output).contains(" WARN ",
				"The lease of 'k' could not be released, so it stays taken until its lease runs out", "no answer");
	}

	@Test
	void aStoreThatIsClosedFailsNoUnlock(CapturedOutput output) {
		SimpleLock lock = extended(Providers.LONG);
		BDDMockito.given(this.store.expireAll(ArgumentMatchers.any(), ArgumentMatchers.any()))
			.willThrow(new IllegalStateException("closed"));
		lock.unlock();
		assertThat(output)
			.contains("The lease of 'k' could not be released, so it stays taken until its lease runs out", "closed");
	}

	private SimpleLock extended(Duration least) {
		BDDMockito.given(this.store.expireAll(ArgumentMatchers.any(), ArgumentMatchers.any())).willReturn(1);
		return this.leases.extend(new LeaseId("k", "token"), Providers.configuration("k", Providers.LONG, least))
			.orElseThrow();
	}

}
