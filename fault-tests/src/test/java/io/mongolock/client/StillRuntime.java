package io.mongolock.client;

import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A runtime without time: threads of its own end at once, who waits does so until it
 * comes, and chance decides nothing.
 */
final class StillRuntime extends ClientRuntime {

	@Override
	Thread watch(Runnable task) {
		return new Thread(() -> {
		});
	}

	@Override
	ThreadFactory daemons(String name) {
		return this::watch;
	}

	@Override
	void park(Object blocker, long nanos) {
	}

	@Override
	void unpark(@Nullable Thread thread) {
	}

	@Override
	boolean tryAcquire(Semaphore permits, int all, long nanos) {
		permits.acquireUninterruptibly(all);
		return true;
	}

	@Override
	LongUnaryOperator random() {
		return (bound) -> 0;
	}

}
