package io.mongolock.interceptor;

import java.util.Map;

import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import io.mongolock.LockContext;
import io.mongolock.LockMode;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link SeveralLocks} and {@link LockRequests}, as methods use them.
 */
class SeveralLocksTests {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final Bank bank = proxy();

	@Test
	void locksAreAcquiredInTheOrderOfTheirKeysAndReleasedInReverse() {
		assertThat(this.bank.transfer("b", "a")).isEqualTo("account:b");
		assertThat(this.bank.transfer("a", "b")).isEqualTo("account:b");
		assertThat(this.locks.events()).hasSize(8)
			.startsWith("acquire account:a", "acquire account:b", "release account:b", "release account:a")
			.endsWith("acquire account:a", "acquire account:b", "release account:b", "release account:a");
	}

	@Test
	void oneKeyOfTwoDeclarationsIsOneLock() {
		assertThat(this.bank.transfer("a", "a")).isEqualTo("account:a");
		assertThat(this.locks.events()).containsExactly("acquire account:a", "release account:a");
	}

	@Test
	void oneKeyInTwoModesIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.bank.copy("a", "a"))
			.withMessageContaining("Bank.copy(String, String)")
			.withMessageContaining("the key 'account:a' here, one shared and one exclusive");
		assertThat(this.bank.copy("a", "b")).isEqualTo("account:b");
	}

	@Test
	void whatWasTakenIsReleasedIfALaterOneIsUnavailable() {
		this.locks.heldByAnother("account:b");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.bank.transfer("b", "a"))
			.returns("account:b", LockUnavailableException::getKey);
		assertThat(this.bank.transferIfFree("a", "b")).isNull();
		assertThat(this.locks.events()).hasSize(6)
			.startsWith("acquire account:a", "denied account:b", "release account:a")
			.endsWith("acquire account:a", "denied account:b", "release account:a");
	}

	private Bank proxy() {
		LockInterceptor interceptor = new LockInterceptor(new AnnotationLockOperationSource((text) -> text),
				() -> this.locks, new StaticListableBeanFactory(Map.of()));
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

		@DistributedLock(name = "account", key = "#p0", mode = LockMode.SHARED)
		@DistributedLock(name = "account", key = "#p1")
		String copy(String from, String to) {
			return LockContext.current().key();
		}

		@DistributedLock(name = "account", key = "#p0", onUnavailable = OnUnavailable.SKIP)
		@DistributedLock(name = "account", key = "#p1", onUnavailable = OnUnavailable.SKIP)
		String transferIfFree(String from, String to) {
			return LockContext.current().key();
		}

	}

}
