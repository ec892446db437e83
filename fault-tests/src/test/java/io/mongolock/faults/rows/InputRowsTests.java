package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Rows 40 and 41: keys and settings that callers should not use, or that look as if.
 */
@Timeout(120)
class InputRowsTests {

	private static final List<String> STRANGE_KEYS = List.of("$x", "$$ROOT", "$$NOW", "$where", "a.b", "a", "A",
			"{\"$gt\": \"\"}", "T(java.lang.Runtime).getRuntime().exec('true')", "#{1 + 1}", "${user.home}", "\u0000",
			"a\u0000b", " a", "a ", "\u00e9", "e\u0301", "\ud83d\udd12", "../locks", "'; db.dropDatabase(); '",
			"x".repeat(1024));

	@Test
	@ShowsRow(value = 40, level = Level.SERVER)
	void strangeKeysAreKeptAsTheyAreAndNoTwoAreOne(RowFigures figures) {
		try (Harness rig = Harness.onAnyServer()) {
			HarnessClient client = rig.direct(Harness.LONG);
			List<LockHandle> handles = new ArrayList<>();
			for (String key : STRANGE_KEYS) {
				LockRequest once = LockRequest.builder(key).waitTimeout(Duration.ZERO).build();
				handles.add(client.locks().acquire(once));
				assertThat(rig.documents().countDocuments(new Document("_id", key))).as(key).isOne();
			}
			assertThat(rig.store().list(100, Harness.LONG)).hasSameSizeAs(STRANGE_KEYS);
			handles.forEach(LockHandle::renew);
			handles.forEach(LockHandle::close);
			assertThat(rig.store().list(100, Harness.LONG)).isEmpty();
			figures.server(rig.label()).add("keys", STRANGE_KEYS.size()).add("clashes", 0);
		}
	}

	@Test
	@ShowsRow(value = 40, level = Level.SERVER)
	void anOwnerThatLooksLikeAnExpressionIsData(RowFigures figures) {
		try (Harness rig = Harness.onAnyServer()) {
			HarnessClient client = rig.direct(Harness.LONG);
			CompletableFuture<LockHandle> handle = new CompletableFuture<>();
			new Thread(() -> handle.complete(client.acquire()), "$$ROOT").start();
			assertThat(handle).succeedsWithin(Harness.LONG);
			assertThat(rig.holders()).extracting((holder) -> holder.owner().thread()).containsExactly("$$ROOT");
			figures.server(rig.label()).add("evaluated", 0);
		}
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource
	@ShowsRow(value = 40, level = Level.UNIT)
	void impossibleKeysAreRefusedWithTheReason(String key, String reason) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(key)).withMessageContaining(reason);
	}

	static Stream<Arguments> impossibleKeysAreRefusedWithTheReason() {
		return Stream.of(Arguments.of(null, "must not be null"), Arguments.of("", "must not be blank"),
				Arguments.of(" \t", "must not be blank"), Arguments.of("x".repeat(1025), "at most 1024 bytes"),
				Arguments.of("x".repeat(10_240), "this one is 10240"),
				Arguments.of("\ud83d\udd12".repeat(257), "this one is 1028"),
				Arguments.of("a\ud83d", "half a surrogate pair"));
	}

	@ParameterizedTest(name = "{1} {2}")
	@MethodSource
	@ShowsRow(value = 41, level = Level.UNIT)
	void impossibleSettingsAreRefusedWithTheNumbers(LockSettings settings, String setting, String reason) {
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> ResolvedLockSettings.of(settings))
			.withMessageContaining(reason)
			.returns(setting, InvalidLockSettingsException::getSetting);
	}

	static Stream<Arguments> impossibleSettingsAreRefusedWithTheNumbers() {
		return Stream.of(Arguments.of(times(0, null, null, null), "ttl", "at least 100ms"),
				Arguments.of(times(-1, null, null, null), "ttl", "at least 100ms"),
				Arguments.of(times(30_000, 30_000, null, null), "margin", "shorter than the ttl (30000ms)"),
				Arguments.of(times(30_000, 6_000, 8_001, null), "renew-interval", "(30000ms - 6000ms) / 3 = 8000ms"),
				Arguments.of(times(30_000, 6_000, 8_000, 8_001), "operation-timeout", "- 8000ms) / 2 = 8000ms"),
				Arguments.of(LockSettings.builder().waitTimeout(Duration.ofMillis(-1)).build(), "wait-timeout",
						"at least 0ms"),
				Arguments.of(LockSettings.builder().retryInterval(Duration.ZERO).build(), "retry-interval",
						"at least 1ms"),
				Arguments.of(LockSettings.builder().ttl(Duration.ofSeconds(Long.MAX_VALUE)).build(), "ttl",
						"at most 10000 days"),
				Arguments.of(LockSettings.builder().ttl(Duration.ofNanos(150_000_001)).build(), "ttl",
						"whole milliseconds"));
	}

	private static LockSettings times(int ttl, Integer margin, Integer interval, Integer timeout) {
		return LockSettings.builder()
			.ttl(Duration.ofMillis(ttl))
			.margin(millis(margin))
			.renewInterval(millis(interval))
			.operationTimeout(millis(timeout))
			.build();
	}

	private static Duration millis(Integer value) {
		return (value != null) ? Duration.ofMillis(value) : null;
	}

}
