package io.mongolock.store.mongo;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.mongolock.store.LeaseId;
import io.mongolock.store.RecallListener;

/**
 * Keeps what it is notified of.
 */
class RecordingRecallListener implements RecallListener {

	private final List<LeaseId> recalled = new CopyOnWriteArrayList<>();

	private final AtomicInteger missed = new AtomicInteger();

	@Override
	public void recalled(LeaseId holder) {
		this.recalled.add(holder);
	}

	@Override
	public void missed() {
		this.missed.incrementAndGet();
	}

	List<LeaseId> recalled() {
		return this.recalled;
	}

	int timesMissed() {
		return this.missed.get();
	}

}
