package io.mongolock.store.mongo;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.mongolock.store.ReleaseListener;

/**
 * Records the notifications of a listener.
 */
class RecordingReleaseListener implements ReleaseListener {

	private final List<String> released = new CopyOnWriteArrayList<>();

	private final AtomicInteger missed = new AtomicInteger();

	@Override
	public void released(String key) {
		this.released.add(key);
	}

	@Override
	public void missed() {
		this.missed.incrementAndGet();
	}

	List<String> released() {
		return this.released;
	}

	int timesMissed() {
		return this.missed.get();
	}

}
