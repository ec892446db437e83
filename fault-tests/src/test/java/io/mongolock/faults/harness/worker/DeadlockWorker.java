package io.mongolock.faults.harness.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import com.mongodb.client.MongoClients;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.OnDeadlock;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.faults.harness.HarnessClient;

/**
 * Takes one lock inside of another, in a process of its own. Thread-safe.
 */
public final class DeadlockWorker implements LockListener {

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private final LockTemplate locks;

	private final CountDownLatch held = new CountDownLatch(1);

	private final CountDownLatch begun = new CountDownLatch(1);

	private final CompletableFuture<Integer> told = new CompletableFuture<>();

	public DeadlockWorker(String connectionString, OnDeadlock onDeadlock) {
		LockOwner owner = new LockOwner("rows", "1", "localhost", ProcessHandle.current().pid(), "");
		this.locks = new LockTemplate(HarnessClient.store(MongoClients.create(connectionString)),
				new ClientOptions(new ConfiguredSettings(HarnessClient.settings(PATIENCE, PATIENCE), Map.of()), owner,
						LockClock.system(), List.of(this))
					.withOnDeadlock(onDeadlock));
		this.locks.start();
	}

	@Override
	public void onDeadlock(LockDeadlock deadlock) {
		this.told.complete(deadlock.waits().size());
	}

	// Whether it got the inner lock; if not, the exception named a deadlock
	public Boolean nest(String outer, String inner) throws InterruptedException {
		return this.locks.execute(LockRequest.of(outer), (handle) -> {
			this.held.countDown();
			this.begun.await();
			try {
				return this.locks.execute(LockRequest.of(inner), LockHandle::isHeld);
			}
			catch (LockUnavailableException ex) {
				return ex.getDeadlock().isEmpty();
			}
		});
	}

	public Boolean awaitHeld() throws InterruptedException {
		this.held.await();
		return true;
	}

	public Boolean begin() {
		this.begun.countDown();
		return true;
	}

	// How many wait for each other
	public Integer awaitDeadlock() {
		return this.told.join();
	}

}
