package io.mongolock.interceptor;

import java.util.Map;

import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockRequest;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CallWarnings}.
 */
@ExtendWith(OutputCaptureExtension.class)
class CallWarningsTests {

	private static final String WARNING = "takes its lock inside a transaction that has already read";

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private boolean snapshot = true;

	private final Service service = service();

	@BeforeEach
	void begin() {
		TransactionSynchronizationManager.setActualTransactionActive(true);
	}

	@AfterEach
	void end() {
		TransactionSynchronizationManager.setActualTransactionActive(false);
	}

	@Test
	void aLockThatIsTakenAfterTheSnapshotIsWarnedOfOncePerMethod(CapturedOutput output) {
		this.service.pay(1);
		this.service.pay(2);
		assertThat(output).containsOnlyOnce(WARNING).contains("Service.pay(int)").contains("Put @Transactional on");
		this.service.all(1);
		assertThat(output).contains("Service.all(int)");
	}

	@Test
	void oneThatIsTakenBeforeItIsNot(CapturedOutput output) {
		this.snapshot = false;
		this.service.pay(1);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void oneThatIsTakenOutsideOfATransactionIsNot(CapturedOutput output) {
		end();
		this.service.pay(1);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void oneThatTheThreadHoldsAlreadyIsNot(CapturedOutput output) {
		this.locks.execute(LockRequest.of("order", 1), (handle) -> {
			this.service.pay(1);
			assertThat(output).doesNotContain(WARNING);
			this.service.all(1);
			assertThat(output).contains(WARNING);
			return "";
		});
	}

	private Service service() {
		LockInterceptor interceptor = new LockInterceptor(new AnnotationLockOperationSource((text) -> text, ""),
				() -> this.locks, new StaticListableBeanFactory(Map.of()), () -> this.snapshot);
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.setProxyTargetClass(true);
		factory.addAdvice((Advice) interceptor);
		return (Service) factory.getProxy();
	}

	static class Service {

		@DistributedLock(name = "order", key = "#id")
		void pay(int id) {
		}

		@DistributedLock(name = "order", key = "#id")
		@DistributedLock("all")
		void all(int id) {
		}

	}

}
