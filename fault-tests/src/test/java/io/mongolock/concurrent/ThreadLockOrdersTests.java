package io.mongolock.concurrent;

import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.ThreadOrders;

/**
 * Tests for {@link ThreadLock}, on several threads: as if one thread after the other had
 * tried it, taken it again and let go of it.
 */
@Tag("orders")
class ThreadLockOrdersTests {

	@Test
	void itIsALockThatEachThreadMayTakeAgain() {
		ThreadOrders.check(OfLock.class, Specification.class, 6);
	}

	/** A lock on operations that grant it to one at a time. */
	public static class OfLock {

		private final AtomicBoolean taken = new AtomicBoolean();

		private final ThreadLock lock = new ThreadLock(operations(), LockRequest.of("k"));

		@Operation
		public boolean tryLock(@Param(gen = ThreadIdGen.class) int thread) {
			return this.lock.tryLock();
		}

		@Operation
		public boolean unlock(@Param(gen = ThreadIdGen.class) int thread) {
			try {
				this.lock.unlock();
				return true;
			}
			catch (IllegalMonitorStateException ex) {
				return false;
			}
		}

		private LockOperations operations() {
			return (LockOperations) Proxy.newProxyInstance(LockOperations.class.getClassLoader(),
					new Class<?>[] { LockOperations.class }, (proxy, method, arguments) -> switch (method.getName()) {
						case "tryAcquire" ->
							(this.taken.compareAndSet(false, true)) ? Optional.of(handle()) : Optional.empty();
						case "equals" -> false;
						default -> throw new UnsupportedOperationException(method.getName());
					});
		}

		private LockHandle handle() {
			return (LockHandle) Proxy.newProxyInstance(LockHandle.class.getClassLoader(),
					new Class<?>[] { LockHandle.class }, (proxy, method, arguments) -> switch (method.getName()) {
						case "assertHeld" -> null;
						case "fence" -> 1L;
						case "equals" -> false;
						case "close" -> {
							this.taken.set(false);
							yield null;
						}
						default -> throw new UnsupportedOperationException(method.getName());
					});
		}

	}

	/** What it is to be. */
	public static class Specification {

		private int holder = -1;

		private int times;

		public boolean tryLock(int thread) {
			boolean locks = this.times == 0 || this.holder == thread;
			if (locks) {
				this.holder = thread;
				this.times++;
			}
			return locks;
		}

		public boolean unlock(int thread) {
			boolean held = this.times > 0 && this.holder == thread;
			if (held) {
				this.times--;
			}
			return held;
		}

	}

}
