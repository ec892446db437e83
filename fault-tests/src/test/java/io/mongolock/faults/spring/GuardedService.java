package io.mongolock.faults.spring;

import java.util.concurrent.Callable;

import io.mongolock.LockContext;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

/**
 * Methods under locks, for applications without a relational database.
 */
public class GuardedService {

	static final String KEY = "guarded";

	@DistributedLock(KEY)
	public <T> T run(Callable<T> work) throws Exception {
		return work.call();
	}

	@DistributedLock(name = KEY, waitTimeout = "0s", onUnavailable = OnUnavailable.SKIP)
	public String skipIfBusy(Callable<String> work) throws Exception {
		return work.call();
	}

	@DistributedLock(name = "data", key = "#value")
	public String keyOf(Object value) {
		return LockContext.current().key();
	}

	@DistributedLock(name = "#{T(java.lang.System).getProperty('user.name')}", key = "'$where'")
	public String literalName() {
		return LockContext.current().key();
	}

	@DistributedLock(name = "pay", key = "#order", waitTimeout = "0s")
	public String pay(String order, Object card) {
		return order;
	}

	@DistributedLock(name = "busy", key = "#number", waitTimeout = "60s")
	public void busy(int number, Runnable work) {
		work.run();
	}

	public boolean callsItself() {
		return lockedWithin();
	}

	@DistributedLock("itself")
	public boolean lockedWithin() {
		return LockContext.find((handle) -> handle.key().equals("itself")).isPresent();
	}

}
