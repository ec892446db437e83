package io.mongolock.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;

import io.mongolock.LockOwner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Strings that callers choose, and looking at what is stored.
 */
interface KeyContract extends LockStoreContract {

	static Stream<String> oddStrings() {
		return Stream.of("$x", "$$NOW", "$holders", "$$e.token", "a.b", "$.a", "{$where: 'sleep(1)'}",
				"{\"$gt\": \"\"}", "🔒 \uD83D\uDC69\u200D\uD83D\uDC67", "a\u0000b", "\u0000", " ", "\uFEFF", "_id", "ä",
				"a\u0308", "k".repeat(1024), "🔒".repeat(256));
	}

	static Stream<String> badKeys() {
		return Stream.of("k".repeat(1025), "k".repeat(1021) + "🔒", "ä".repeat(513), "a\uD800", "\uD800a", "\uDC00",
				"\uDC00\uD800");
	}

	@ParameterizedTest
	@MethodSource("oddStrings")
	default void anyKeyTokenAndOwnerComesBackAsItWent(String text) {
		LockOwner owner = new LockOwner(text, text, text, -1, text, text);
		Claim claim = Claims.owner(Claims.on(text, text), owner);
		StoredHolder holder = grant(claim);
		assertThat(holder.leaseToken()).isEqualTo(text);
		assertThat(holder.owner()).isEqualTo(owner);
		assertThat(grant(claim).fence()).isEqualTo(holder.fence());
		deny(Claims.on(text));
		assertThat(find(text).key()).isEqualTo(text);
		assertThat(store().list(10, TIMEOUT)).extracting(StoredLock::key).containsExactly(text);
		assertThat(listed(text, Duration.ZERO)).containsExactly(text);
		assertThat(renew(claim)).isTrue();
		assertThat(release(claim)).isTrue();
		assertThat(leave(Claims.on(text, text))).isFalse();
		grant(Claims.on(text));
	}

	@Test
	default void everyKeyIsALockOfItsOwn() {
		List<String> keys = oddStrings().toList();
		keys.forEach((key) -> grant(Claims.on(key)));
		assertThat(store().list(100, TIMEOUT)).extracting(StoredLock::key).containsExactlyInAnyOrderElementsOf(keys);
	}

	@ParameterizedTest
	@NullAndEmptySource
	@MethodSource("badKeys")
	default void aKeyThatCannotBeStoredIsRefused(String key) {
		LeaseId id = new LeaseId(key, "token");
		Stream
			.<ThrowingCallable>of(() -> ask(Claims.on(key, "token")), () -> store().renew(id, TIMEOUT),
					() -> store().renewAll(List.of(id), TIMEOUT), () -> store().release(id, TIMEOUT),
					() -> store().leave(id, TIMEOUT), () -> store().find(key, TIMEOUT))
			.forEach((call) -> assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining("lock key"));
	}

	@Test
	default void aKeyThatIsTooLongIsRefusedWithLengthAndLimit() {
		assertThatIllegalArgumentException().isThrownBy(() -> ask(Claims.on("k".repeat(1025))))
			.withMessageContaining("1025 bytes")
			.withMessageContaining("at most 1024");
	}

	@Test
	default void aKeyThatWasNeverClaimedIsNotFound() {
		assertThat(store().find("key", TIMEOUT)).isEmpty();
		assertThat(store().list(10, TIMEOUT)).isEmpty();
	}

	@Test
	default void aLockIsFoundWithHoldersLineAndTime() {
		Claim claim = Claims.on("key");
		StoredHolder holder = grant(claim);
		deny(Claims.waiting(Claims.on("key")));
		StoredLock lock = find("key");
		assertThat(lock.key()).isEqualTo("key");
		assertThat(lock.holders()).containsExactly(holder);
		assertThat(lock.queue()).hasSize(1);
		assertThat(lock.fence()).isEqualTo(holder.fence());
		assertThat(lock.now()).isAfterOrEqualTo(holder.acquiredAt());
		assertThat(lock.liveHolders()).hasSize(1);
	}

	@Test
	default void aFreeLockIsFoundWithoutHolders() {
		Claim claim = Claims.on("key");
		long fence = grant(claim).fence();
		release(claim);
		assertThat(find("key").holders()).isEmpty();
		assertThat(find("key").fence()).isEqualTo(fence);
		lapsed("lapsed");
		assertThat(find("lapsed").holders()).hasSize(1);
		assertThat(find("lapsed").liveHolders()).isEmpty();
	}

	@Test
	default void onlyHeldLocksAreListedInOrderAndNotTooMany() {
		lapsed("a");
		Claim released = Claims.on("c");
		Stream.of(Claims.on("d"), Claims.on("b"), released, Claims.on("\uFB00")).forEach(this::grant);
		release(released);
		assertThat(store().list(10, TIMEOUT)).extracting(StoredLock::key).containsExactly("b", "d", "\uFB00");
		assertThat(store().list(2, TIMEOUT)).extracting(StoredLock::key).containsExactly("b", "d");
		assertThat(store().list(0, TIMEOUT)).isEmpty();
	}

	@Test
	default void locksAreListedByPrefixAndPageByPage() {
		Stream.of("a:1", "b:1", "b:2", "b:3", "c:1").map(Claims::on).forEach(this::grant);
		assertThat(store().list("b:", "", 10, TIMEOUT)).extracting(StoredLock::key)
			.containsExactly("b:1", "b:2", "b:3");
		assertThat(store().list("b:", "b:1", 1, TIMEOUT)).extracting(StoredLock::key).containsExactly("b:2");
		assertThat(store().list("b:", "b:3", 10, TIMEOUT)).isEmpty();
		assertThat(store().list("", "b:2", 10, TIMEOUT)).extracting(StoredLock::key).containsExactly("b:3", "c:1");
		assertThat(store().list("none", "", 10, TIMEOUT)).isEmpty();
	}

	@Test
	default void locksAreListedByTheirHoldersAndByHowLongTheyAreHeld() {
		Claim named = Claims.owner(Claims.on("a"), new LockOwner("", "i-1", "h", 7, "main", "$Ann"));
		Claim plain = Claims.owner(Claims.on("b"), new LockOwner("shop", "i-1", "h", 7, "main"));
		lapsed("0");
		Stream.of(named, plain).forEach(this::grant);
		Stream.of(named, plain).forEach((claim) -> {
			assertThat(listed(claim.owner().toString(), Duration.ZERO)).containsExactly(claim.id().key());
			assertThat(listed(claim.owner().toString(), Duration.ofDays(1))).isEmpty();
		});
		assertThat(listed("i-1 (", Duration.ZERO)).containsExactly("a", "b");
		assertThat(listed("", Duration.ofSeconds(Long.MAX_VALUE))).isEmpty();
		assertThat(listed("$$NOW", Duration.ZERO)).isEmpty();
	}

	private List<String> listed(String holder, Duration heldFor) {
		LockPage page = store().list(new LockFilter("", holder, heldFor), "", 10, 100, TIMEOUT);
		assertThat(page.next()).isNull();
		return page.locks().stream().map(StoredLock::key).toList();
	}

	@Test
	default void aListGoesOnWhereItHasEnoughOrHasLookedAtAsManyAsItMay() {
		Stream.of("a", "b", "c", "d").map(Claims::on).forEach(this::grant);
		LockFilter all = new LockFilter("", "", Duration.ZERO);
		LockPage page = store().list(all, "", 2, 100, TIMEOUT);
		assertThat(page.locks()).extracting(StoredLock::key).containsExactly("a", "b");
		assertThat(page.next()).isEqualTo("b");
		assertThat(store().list(all, "b", 2, 100, TIMEOUT).locks()).extracting(StoredLock::key)
			.containsExactly("c", "d");
		LockFilter none = new LockFilter("", "nobody", Duration.ZERO);
		assertThat(store().list(none, "", 2, 3, TIMEOUT)).isEqualTo(new LockPage(List.of(), "c"));
		assertThat(store().list(none, "c", 2, 3, TIMEOUT)).isEqualTo(new LockPage(List.of(), null));
	}

	@Test
	default void aTtlIsKeptToTheMillisecond() {
		assertThat(grant(Claims.ttl(Claims.on("key"), Duration.ofMillis(123_456_789_012L))).ttl())
			.isEqualTo(Duration.ofMillis(123_456_789_012L));
	}

}
