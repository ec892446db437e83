package io.mongolock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockListener}.
 */
class LockListenerTests {

	private final List<LockApplicationEvent> heard = new ArrayList<>();

	@Test
	void aListenerThatHasOnlyTheOneMethodHearsAllEvents() {
		LockListener listener = new LockListener() {

			@Override
			public void on(LockApplicationEvent event) {
				LockListenerTests.this.heard.add(event);
			}

		};
		LockHandle handle = Mockito.mock(LockHandle.class);
		LockHolder holder = Mockito.mock(LockHolder.class);
		LockPlace place = Mockito.mock(LockPlace.class);
		LockDeadlock deadlock = Mockito.mock(LockDeadlock.class);
		ReleaseRequest wish = Mockito.mock(ReleaseRequest.class);
		LockRequest request = LockRequest.of("order:7");
		Exception failure = new Exception("fails");
		Duration time = Duration.ofMillis(7);
		listener.onWaiting(request, place);
		listener.onAcquired(handle);
		listener.onUnavailable(request, List.of(holder), time);
		listener.onSkipped(request, List.of(holder), time);
		listener.onDeadlock(deadlock);
		listener.onReleased(handle, time);
		listener.onLost(handle, LossReason.DEADLINE);
		listener.onExpiredUncontested(handle);
		listener.onTakenOver(handle, holder);
		listener.onBroken("order:7", holder);
		listener.onRenewalFailed(handle, failure);
		listener.onReleaseFailed(handle, failure);
		listener.onReleaseRequested(handle, wish);
		listener.onStoreClockStepped(time);
		listener.onServerClockOff("a:1", time);
		assertThat(this.heard).containsExactly(new LockApplicationEvent.Waiting(request, place),
				new LockApplicationEvent.Granted(handle),
				new LockApplicationEvent.Unavailable(request, List.of(holder), time),
				new LockApplicationEvent.Skipped(request, List.of(holder), time),
				new LockApplicationEvent.Deadlocked(deadlock), new LockApplicationEvent.Released(handle, time),
				new LockApplicationEvent.Lost(handle, LossReason.DEADLINE),
				new LockApplicationEvent.ExpiredUncontested(handle), new LockApplicationEvent.TakenOver(handle, holder),
				new LockApplicationEvent.RenewalFailed(handle, failure),
				new LockApplicationEvent.ReleaseFailed(handle, failure),
				new LockApplicationEvent.ReleaseRequested(handle, wish),
				new LockApplicationEvent.StoreClockStepped(time), new LockApplicationEvent.ServerClockOff("a:1", time));
		assertThat(this.heard.stream().map(Object::getClass))
			.containsExactlyInAnyOrder(LockApplicationEvent.class.getPermittedSubclasses());
	}

}
