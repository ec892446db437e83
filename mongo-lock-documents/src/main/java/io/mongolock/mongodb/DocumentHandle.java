package io.mongolock.mongodb;

import java.time.Duration;
import java.util.Optional;

import io.mongolock.LockHandle;
import io.mongolock.ReleaseRequest;

/**
 * What a caller has of a locked document's lock: as long as somebody has it, the document
 * is guarded.
 *
 * @param document the document, which is found by weak references alone
 * @param handle its lock
 */
record DocumentHandle(Object document, LockHandle handle) implements LockHandle {

	@Override
	public String key() {
		return this.handle.key();
	}

	@Override
	public long fence() {
		return this.handle.fence();
	}

	@Override
	public boolean isHeld() {
		return this.handle.isHeld();
	}

	@Override
	public void assertHeld() {
		this.handle.assertHeld();
	}

	@Override
	public Duration remaining() {
		return this.handle.remaining();
	}

	@Override
	public Optional<ReleaseRequest> releaseRequested() {
		return this.handle.releaseRequested();
	}

	@Override
	public void renew() {
		this.handle.renew();
	}

	@Override
	public void close() {
		this.handle.close();
	}

	@Override
	public String toString() {
		return this.handle.toString();
	}

}
