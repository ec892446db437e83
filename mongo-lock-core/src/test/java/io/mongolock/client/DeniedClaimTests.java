package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What listeners and the log hear of claims that others kept from a lock, and who waits.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class DeniedClaimTests {

	private final ScriptedStore store = new ScriptedStore();

	private final Recorder events = new Recorder();

	private final LockTemplate other = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
			new LockOwner("other", "2", "there", 43, ""), LockClock.system(), List.of()));

	/** Waits for ever, unless something else is said. */
	private final LockTemplate template = new LockTemplate(this.store,
			new ClientOptions(
					new ConfiguredSettings(wait(Duration.ofDays(1)), Map.of("brief", wait(Duration.ofMillis(1)))),
					new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of(this.events)));

	@BeforeEach
	void hold() {
		this.other.acquire(LockRequest.of("job", 1));
		this.other.acquire(LockRequest.of("job", 2));
		this.other.acquire(LockRequest.of("brief", 1));
	}

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
		this.other.stop(Duration.ofSeconds(1));
	}

	@Test
	void tryAcquireAndSkipIgnoreTheWaitTimeoutSetForAllLocks() {
		assertThat(this.template.tryAcquire(LockRequest.of("job", 1))).isEmpty();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.execute(skipping("job", 2), LockHandle::fence))
			.withMessageContaining("wait-timeout is 0ms");
		assertThat(this.store.count("acquire job")).as("requests, with those of the other client").isEqualTo(4);
	}

	@Test
	void listenersHearOfWhatWasSkippedAndOfWhatFailedWithTheHolderAndTheWait() {
		this.template.tryAcquire(LockRequest.of("job", 1));
		this.template.acquireAsync(skipping("job", 2)).exceptionally((ex) -> null).join();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(LockRequest.of("brief", 1)));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events.heard).containsExactly("skipped job job:1 held by other",
					"skipped job job:2 held by other", "unavailable brief brief:1 held by other"));
		assertThat(this.events.waited.get(0)).isBetween(Duration.ZERO, Duration.ofSeconds(50));
		assertThat(this.events.waited.get(2)).isBetween(Duration.ofMillis(1), Duration.ofSeconds(50));
	}

	@Test
	void aSkipIsLoggedAtInfoOncePerNameAndNoFailureIs(CapturedOutput output) {
		this.template.tryAcquire(LockRequest.of("job", 1));
		this.template.tryAcquire(LockRequest.of("job", 2));
		this.template.tryAcquire(LockRequest.of("brief", 1));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(LockRequest.of("brief", 1)));
		this.template.stop(Duration.ofSeconds(10));
		assertThat(output).contains("lock 'job:1' was skipped, because the lock is held by other 2")
			.contains("Further skips of locks named 'job' are logged at DEBUG")
			.contains("Further skips of locks named 'brief' are logged at DEBUG")
			.doesNotContain("'job:2' was skipped, because the lock is held");
		assertThat(output.toString().split("The work under lock ", -1)).hasSize(3);
	}

	private static LockRequest skipping(String name, Object key) {
		return LockRequest.builder(name, key).onUnavailable(OnUnavailable.SKIP).build();
	}

	private static LockSettings wait(Duration waitTimeout) {
		return LockSettings.builder().waitTimeout(waitTimeout).build();
	}

	private static final class Recorder implements LockListener {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		private final List<Duration> waited = new CopyOnWriteArrayList<>();

		@Override
		public void onUnavailable(LockRequest request, List<LockHolder> holders, Duration waited) {
			this.waited.add(waited);
			this.heard.add("unavailable " + describe(request, holders));
		}

		@Override
		public void onSkipped(LockRequest request, List<LockHolder> holders, Duration waited) {
			this.waited.add(waited);
			this.heard.add("skipped " + describe(request, holders));
		}

		private static String describe(LockRequest request, List<LockHolder> holders) {
			return request.name() + " " + request.key() + " held by " + holders.get(0).owner().application();
		}

	}

}
