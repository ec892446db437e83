package io.mongolock;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockRequest}.
 */
class LockRequestTests {

	@ParameterizedTest
	@ValueSource(strings = { "a", "$x", "$$NOW", "a.b", "{$where: 1}", "T(java.lang.Runtime)", "nul\0key", "🔒" })
	void anyTextIsAKey(String key) {
		assertThat(LockRequest.of(key).key()).isEqualTo(key);
	}

	@Test
	void aKeyOf1024BytesIsTheLongest() {
		assertThat(LockRequest.of("é".repeat(512)).key()).hasSize(512);
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("é".repeat(512) + "x"))
			.withMessageContaining("at most 1024 bytes in UTF-8, but this key has 1025");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t" })
	void aBlankKeyIsRefused(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(key)).withMessageContaining("blank");
	}

	@Test
	void halfASurrogatePairIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("a\uD83D"))
			.withMessageContaining("half a surrogate pair");
	}

	@Test
	void aValueWithoutATextOfItsOwnIsRefusedWithTheNameOfTheLock() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("order", new Object()))
			.withMessageContaining(
					"There is no key for the lock named 'order', because the value is a java.lang.Object");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("order", " "))
			.withMessageContaining("There is no key for the lock named 'order', because the value is blank");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of(" ", 2)).withMessageContaining("blank");
	}

	@Test
	void aLimitBelowOneAndABlankNameAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.builder("k").limit(0).build())
			.withMessageContaining("at least 1, not 0");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.builder("k").name(" ").build())
			.withMessageContaining("blank");
	}

	@Test
	void theBuilderKeepsEverythingThatWasSaid() {
		LockRequest request = LockRequest.builder("k")
			.name("n")
			.ttl(Duration.ofSeconds(1))
			.waitTimeout(Duration.ofSeconds(2))
			.retryInterval(Duration.ofMillis(3))
			.autoRenew(false)
			.onUnavailable(OnUnavailable.SKIP)
			.onLost(OnLost.IGNORE)
			.limit(4)
			.build();
		assertThat(request).isEqualTo(new LockRequest("k", "n",
				LockSettings.builder()
					.ttl(Duration.ofSeconds(1))
					.waitTimeout(Duration.ofSeconds(2))
					.retryInterval(Duration.ofMillis(3))
					.autoRenew(false)
					.limit(4)
					.build(),
				OnUnavailable.SKIP, OnLost.IGNORE));
	}

	@Test
	void aSharedRequestHasNoLimit() {
		LockRequest request = LockRequest.builder("k").shared().shared().build();
		assertThat(request.mode()).isEqualTo(LockMode.SHARED);
		assertThat(request.settings().limit()).isEqualTo(LockRequest.UNLIMITED);
		assertThat(LockRequest.builder("k").limit(3).build().mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.builder("k").shared().limit(3).build())
			.withMessageContaining("shared and has the limit 3")
			.withMessageContaining("set only the limit");
	}

	@Test
	void anOwnerMayHaveANameThatPeopleKnow() {
		assertThat(LockRequest.builder("k").as("Zoë Müller-李").ttl(Duration.ofSeconds(5)).build().settings().as())
			.isEqualTo("Zoë Müller-李");
		assertThat(LockRequest.of("k").settings().as()).isNull();
		assertThat(LockSettings.builder().as("🧵".repeat(50)).build().or(LockSettings.builder().as("b").build()).as())
			.isEqualTo("🧵".repeat(50));
		LockOwner owner = new LockOwner("shop", "1", "host", 7, "main");
		assertThat(owner.as("Ann").onThread("t")).hasToString("Ann at shop 1 (host host, pid 7, thread t)");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a\nb", "a\u0000", "\u202Enn\u0041", "a\u2028", "a\uD800", "\uDC00a" })
	void aNameThatNobodyCanReadIsRefused(String as) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.builder("k").as(as))
			.withMessageMatching(".*(is blank. Leave the name out|control character.* \\(U\\+[0-9A-F]{4}\\).*)");
		assertThatIllegalArgumentException().isThrownBy(() -> LockSettings.builder().as("a".repeat(101)))
			.withMessageContaining("1 to 100 characters, but this name has 101");
	}

}
