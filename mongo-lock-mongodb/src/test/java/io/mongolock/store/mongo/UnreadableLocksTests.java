package io.mongolock.store.mongo;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnreadableLocks}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnreadableLocksTests {

	private final UnreadableLocks unreadable = new UnreadableLocks();

	@Test
	void readableLocksPass(CapturedOutput output) {
		StoredLock lock = new StoredLock("key", List.of(), List.of(), List.of(), 1, Instant.EPOCH);
		assertThat(this.unreadable.leaveOut(() -> lock)).containsExactly(lock);
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void anUnreadableLockIsLoggedOnce(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			fail("one");
			fail("other");
		}
		assertThat(output).contains("WARN")
			.containsOnlyOnce("Ignored an unreadable lock document: Could not read lock 'one'")
			.containsOnlyOnce("Ignored an unreadable lock document: Could not read lock 'other'");
	}

	@Test
	void ofACollectionOfOthersNotAllIsSaid(CapturedOutput output) {
		for (int i = 0; i < 300; i++) {
			fail("key" + i);
		}
		assertThat(output.toString().split("Could not read lock")).hasSize(101);
	}

	private void fail(String key) {
		assertThat(this.unreadable.leaveOut(() -> {
			throw new LockStoreException(key, Outcome.REFUSED, "Could not read lock '" + key + "'", null);
		})).isEmpty();
	}

}
