package io.mongolock.application;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Stands for code of an application, which is in none of the library's packages.
 */
public final class CarelessCode {

	private CarelessCode() {
	}

	/**
	 * Acquire a lock and forget the handle.
	 */
	public static void acquireAndForget(LockOperations locks, String key) {
		locks.acquire(LockRequest.of(key));
	}

	/**
	 * Try to acquire a lock and forget the handle.
	 */
	public static void tryAndForget(LockOperations locks, String key) {
		locks.tryAcquire(LockRequest.of(key));
	}

	/**
	 * Give up waiting for the result of a claim without cancelling it.
	 */
	public static void giveUpAndForget(LockOperations locks, String key) {
		CompletableFuture<LockHandle> claim = locks.acquireAsync(LockRequest.of(key));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> claim.get(1, TimeUnit.MILLISECONDS));
	}

	/**
	 * Begin work whose end nobody can say any more.
	 */
	public static void workAndForget(LockOperations locks, LockRequest request) {
		CountDownLatch begun = new CountDownLatch(1);
		locks.executeAsync(request, (handle) -> {
			begun.countDown();
			return new CompletableFuture<>();
		});
		assertThatNoException().isThrownBy(begun::await);
	}

	/**
	 * Acquire locks and close their handles.
	 */
	public static void acquireAndClose(LockOperations locks, int times) {
		for (int i = 0; i < times; i++) {
			locks.acquire(LockRequest.of("closed")).close();
		}
	}

}
