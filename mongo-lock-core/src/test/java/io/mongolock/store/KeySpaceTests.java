package io.mongolock.store;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link KeySpace}.
 */
class KeySpaceTests {

	@Test
	void anIdIsPrefixAndKey() {
		KeySpace keys = new KeySpace("app:");
		assertThat(keys.toId("a.b")).isEqualTo("app:a.b");
		assertThat(keys.toKey("app:a.b")).isEqualTo("a.b");
	}

	@ParameterizedTest
	@ValueSource(strings = { "k", "ä", "€", "🔒" })
	void anIdMayTakeAllBytesButNotOneMore(String last) {
		int bytes = last.getBytes(StandardCharsets.UTF_8).length;
		String key = "k".repeat(1022 - bytes) + last;
		assertThat(new KeySpace("12").toId(key)).hasSize(2 + key.length());
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace("123").toId(key))
			.withMessageContaining("1025 bytes")
			.withMessageContaining("at most 1024")
			.withMessageContaining("prefix '123'")
			.withMessageContaining("a hash");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\uD83D", "a\uDD12", "a\uD83D\uD83D", "a\uDD12\uD83D" })
	void halfASurrogatePairIsRefusedWithItsPlace(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace("").toId(key))
			.withMessageContaining("lock key")
			.withMessageContaining("character 1 (U+D");
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace(key)).withMessageContaining("prefix");
	}

	@Test
	void aPairMustNotBeMadeOfPrefixAndKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace("").toId("\uDD12"));
	}

	@Test
	void anEmptyKeyIsRefusedEvenWithAPrefix() {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace("app:").toId(""))
			.withMessageContaining("empty");
	}

	@Test
	void aPrefixThatLeavesNoRoomIsRefused() {
		assertThat(new KeySpace("p".repeat(1023)).toId("k")).hasSize(1024);
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace("p".repeat(1024)))
			.withMessageContaining("1024 bytes")
			.withMessageContaining("At most 1023");
	}

	@Test
	void aLongKeyIsShortenedInTheMessage() {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace("").toId("k".repeat(100_000)))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(300));
	}

}
