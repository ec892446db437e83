package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for what is said of a lock whose key is made of somebody's input.
 */
@ExtendWith(OutputCaptureExtension.class)
class KeyEscapingTests {

	private static final String KEY = "a\nWARN forged \u202e";

	private static final LockRequest ONCE = LockRequest.builder(KEY).waitTimeout(Duration.ZERO).build();

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate template = client();

	private final List<String> messages = new ArrayList<>();

	@Test
	void aKeyForgesNoLineInAMessageOrInTheLog(CapturedOutput output) {
		LockHandle closed = this.template.acquire(ONCE);
		assertThat(closed.key()).isEqualTo(KEY);
		this.messages.add(closed.toString());
		failing(() -> client().acquire(ONCE));
		this.store.nextFails("release", Outcome.UNKNOWN, true);
		closed.close();
		failing(closed::assertHeld);
		this.store.next("acquire", (request) -> {
			throw new UnsupportedOperationException("by script");
		});
		failing(() -> this.template.acquire(ONCE));
		LockHandle lost = this.template.acquire(ONCE);
		this.store.forget(KEY);
		failing(lost::close);
		this.template.stop(Duration.ofSeconds(1));
		failing(() -> this.template.acquire(ONCE));
		assertThat(this.messages).hasSize(6)
			.allSatisfy((message) -> assertThat(message).contains("a\\u000AWARN forged \\u202E")
				.doesNotContain("\n", "\u202e"));
		assertThat(output).contains("a\\u000AWARN forged \\u202E").doesNotContain("a\nWARN", "\u202e");
	}

	private LockTemplate client() {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
	}

	private void failing(Runnable action) {
		this.messages.add(catchThrowable(action::run).getMessage());
	}

}
