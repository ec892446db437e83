package io.mongolock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import io.mongolock.LockContext;
import io.mongolock.LockMode;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockRequests}, as methods with several locks use them.
 */
class LockRequestsTests {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final Bank bank = proxy();

	@Test
	void locksAreAcquiredInTheOrderOfTheirKeysAndReleasedInReverse() {
		for (List<String> pair : List.of(List.of("b", "a"), List.of("a", "b"))) {
			assertThat(this.bank.transfer(pair.get(0), pair.get(1))).isEqualTo("account:b");
			assertThat(this.bank.close(pair)).isEqualTo("account:b");
		}
		assertThat(this.locks.events()).hasSize(16);
		for (int i = 0; i < 16; i += 4) {
			assertThat(this.locks.events().subList(i, i + 4)).containsExactly("acquire account:a", "acquire account:b",
					"release account:b", "release account:a");
		}
	}

	@Test
	void allKeysOfAllDeclarationsAreInOneOrder() {
		this.bank.report(List.of("c", "a"), "b");
		assertThat(this.locks.requests()).extracting(LockRequest::key)
			.containsExactly("account:a", "account:b", "account:c");
	}

	@Test
	void theSameKeyTwiceIsOneLock() {
		assertThat(this.bank.transfer("a", "a")).isEqualTo("account:a");
		assertThat(this.bank.close(List.of("a", "a"))).isEqualTo("account:a");
		this.bank.report(List.of("a", "a"), "a");
		assertThat(this.locks.requests()).extracting(LockRequest::key)
			.containsExactly("account:a", "account:a", "account:a");
		assertThat(this.locks.executions()).isEqualTo(3);
	}

	@Test
	void oneKeyInTwoModesIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.bank.copy("a", "a"))
			.withMessageContaining("Bank.copy(String, String)")
			.withMessageContaining("the key 'account:a', but one of them is shared and the other is exclusive");
		assertThat(this.locks.events()).isEmpty();
		assertThat(this.bank.copy("a", "b")).isEqualTo("account:b");
	}

	@Test
	void oneKeyWithTwoLimitsByNameIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.bank.download("b:c", "c"))
			.withMessageContaining("the key 'a:b:c', but one of them is exclusive and the other has limit 3");
	}

	@Test
	void eachLockIsFoundByItsKey() {
		assertThat(this.bank.held("b", "a")).containsExactly(true, true, false);
	}

	@Test
	void locksThatWereTakenAreReleasedIfALaterOneIsUnavailable() {
		this.locks.heldByAnother("account:b");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.bank.transfer("b", "a"))
			.returns("account:b", LockUnavailableException::getKey);
		assertThat(this.bank.transferIfFree("a", "b")).isNull();
		assertThat(this.locks.events()).hasSize(6)
			.startsWith("acquire account:a", "denied account:b", "release account:a")
			.endsWith("acquire account:a", "denied account:b", "release account:a");
	}

	@Test
	void aLockUnavailableExceptionOfTheMethodReachesTheCallerUnchanged() {
		LockUnavailableException thrown = new LockUnavailableException("inner", List.of(), Duration.ZERO, 1,
				"of another");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.bank.fail(List.of(1, 2), () -> {
			throw thrown;
		})).isSameAs(thrown);
	}

	private Bank proxy() {
		ConfiguredSettings configured = new ConfiguredSettings(LockSettings.NONE,
				Map.of("a:b", LockSettings.builder().limit(3).build()));
		LockInterceptor interceptor = new LockInterceptor(new AnnotationLockOperationSource((text) -> text, ""),
				() -> this.locks, new StaticListableBeanFactory(Map.of("settings", configured)));
		ProxyFactory factory = new ProxyFactory(new Bank());
		factory.setProxyTargetClass(true);
		factory.addAdvice((Advice) interceptor);
		return (Bank) factory.getProxy();
	}

	static class Bank {

		@DistributedLock(name = "account", key = "#p0")
		@DistributedLock(name = "account", key = "#p1")
		String transfer(String from, String to) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "account", key = "#p0")
		String close(List<String> accounts) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "account", key = "#p0")
		@DistributedLock(name = "account", key = "#p1")
		void report(List<String> accounts, String more) {
		}

		@DistributedLock(name = "account", key = "#p0", mode = LockMode.SHARED)
		@DistributedLock(name = "account", key = "#p1")
		String copy(String from, String to) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "a", key = "#p0")
		@DistributedLock(name = "a:b", key = "#p1")
		void download(String one, String other) {
		}

		@DistributedLock(name = "account", key = "{#p0, #p1}")
		List<Boolean> held(String one, String other) {
			return List.of("account:" + one, "account:" + other, "account:c")
				.stream()
				.map((key) -> LockContext.find((handle) -> handle.key().equals(key)).isPresent())
				.toList();
		}

		@DistributedLock(name = "account", key = "#p0", onUnavailable = OnUnavailable.SKIP)
		@DistributedLock(name = "account", key = "#p1", onUnavailable = OnUnavailable.SKIP)
		String transferIfFree(String from, String to) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "account", key = "#p0", onUnavailable = OnUnavailable.SKIP)
		void fail(List<Integer> accounts, Runnable work) {
			work.run();
		}

	}

}
