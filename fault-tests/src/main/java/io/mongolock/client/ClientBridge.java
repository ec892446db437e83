package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.store.LockStore;

/**
 * Opens to the simulation what the client keeps to itself: the runtime that it goes by,
 * and the lock behind a handle.
 */
public abstract class ClientBridge extends ClientRuntime {

	@Override
	public abstract ThreadPoolExecutor direct(int most, int idleSeconds, String name);

	@Override
	public abstract ThreadPoolExecutor queued(int most, String name);

	@Override
	public abstract ScheduledThreadPoolExecutor timer(String name);

	@Override
	public abstract ThreadFactory daemons(String name);

	@Override
	public abstract Thread watch(Runnable task);

	@Override
	public abstract void park(Object blocker, long nanos);

	@Override
	public abstract void unpark(@Nullable Thread thread);

	@Override
	public abstract boolean tryAcquire(Semaphore permits, int all, long nanos);

	@Override
	public abstract LongUnaryOperator random();

	public LockTemplate client(LockStore store, LockOwner owner, LockClock clock, LockListener listener,
			HandOver handOver, Duration placeTtl) {
		return new LockTemplate(store,
				new ClientOptions(ConfiguredSettings.NONE, owner, clock, List.of(listener))
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(handOver)
					.withPlaceTtl(placeTtl),
				this);
	}

	public static HeldLock held(LockHandle handle) {
		return ((LeaseHandle) handle).heldLock();
	}

	public static void letExpire(LockHandle handle) {
		((LeaseHandle) handle).heldLock().state().letExpire();
	}

}
