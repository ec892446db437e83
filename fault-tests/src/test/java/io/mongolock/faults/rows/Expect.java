package io.mongolock.faults.rows;

import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.store.StoredHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * What many rows expect.
 */
final class Expect {

	private Expect() {
	}

	/**
	 * The next client is granted the lock, and the holder was notified of its loss
	 * before.
	 */
	static LockHandle notifiedBeforeTheNextGrant(HarnessClient holder, LockHandle handle, HarnessClient next,
			RowFigures figures) {
		LockHandle granted = next.acquire();
		long lead = System.nanoTime() - holder.heard().awaitLoss().nanos();
		assertThat(lead).as("notified before the next grant").isPositive();
		assertThat(handle.isHeld()).isFalse();
		assertThat(granted.fence()).isGreaterThan(handle.fence());
		figures.add("notified before the next grant by", Harness.millis(lead));
		return granted;
	}

	/** A claim fails, and nobody knows whether it was executed. */
	static void outcomeUnknown(HarnessClient client) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(client::acquire)
			.returns(Outcome.UNKNOWN, LockStoreException::getOutcome);
	}

	/** The lock is found lost, for the reason that its exception says. */
	static ThrowableAssertAlternative<LockLostException> lost(ThrowingCallable call) {
		Throwable first = catchThrowable(call);
		// A busy machine may not answer in time
		Throwable thrown = (isUnanswered(first))
				? await().atMost(Harness.LONG).until(() -> catchThrowable(call), (again) -> !isUnanswered(again))
				: first;
		return assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> {
			if (thrown != null) {
				throw thrown;
			}
		});
	}

	private static boolean isUnanswered(@Nullable Throwable failure) {
		return failure instanceof LockStoreException ex && ex.getOutcome() == Outcome.UNKNOWN;
	}

	/** A claim was executed for a caller who had gone; the lock is free again soon. */
	static void grantedToNobody(Harness harness) {
		// The reply that was awaited may be that of a release beside it
		await().atMost(Harness.LONG).until(() -> harness.stored().isPresent());
		assertThat(harness.stored().orElseThrow().fence()).as("granted, to nobody").isPositive();
		harness.awaitFree();
	}

	static void heldBy(LockHandle handle, List<StoredHolder> holders) {
		assertThat(holders).extracting(StoredHolder::fence).containsExactly(handle.fence());
	}

}
