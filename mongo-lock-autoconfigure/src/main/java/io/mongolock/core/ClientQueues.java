package io.mongolock.core;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.core.AcquisitionRequests.LastAnswer;
import io.mongolock.core.AcquisitionStep.End;
import io.mongolock.core.AcquisitionStep.Granted;

/**
 * What the attempts of one client share: the queue of this JVM and the queue of the
 * store, which they join and leave, so that the next one has its turn. Knows no thread,
 * clock or driver. Thread-safe.
 *
 * @param queues who waits and holds
 * @param places who stands in the queue in the store
 * @param onLost is given each lock of theirs that is lost, as {@link HeldLock} says
 * @param random gives a number from zero to below its argument
 */
public record ClientQueues(LocalWaitQueues<LockAcquisition, HeldLock> queues, QueuePlaces places,
		Consumer<HeldLock> onLost, LongUnaryOperator random) {

	/**
	 * An attempt begins.
	 * @return whether it may ask at once
	 */
	boolean join(LockAcquisition acquisition) {
		return (acquisition.terms().waitTimeout().isZero()) ? this.queues.joinOnce(acquisition.key(), acquisition)
				: this.queues.join(acquisition.key(), acquisition);
	}

	/**
	 * Why an attempt that waits in the queue has not asked: for the holders in this JVM,
	 * or for those whom the first in the queue last saw, or as that one fails.
	 * @return what it would have been answered, as far as is known
	 */
	LastAnswer ahead(LockAcquisition acquisition, ClockReading now) {
		String key = acquisition.key();
		List<LockHolder> here = this.queues.holders(key).stream().map((holder) -> holder.toHolder(now)).toList();
		return (!here.isEmpty()) ? new LastAnswer(here, null)
				: this.queues.asking(key).map(LockAcquisition::lastAnswer).orElse(acquisition.lastAnswer());
	}

	/**
	 * An attempt has taken over what another of this JVM held.
	 * @return who may ask next, if anyone
	 */
	@Nullable LockAcquisition handedOver(LockAcquisition acquisition, HeldLock from, HeldLock held) {
		LockAcquisition next = this.queues.handedOver(held.key(), from, acquisition, held);
		// What was lost before it stood among the holders was not missed there
		LockAcquisition released = (held.lossReason() != null) ? this.queues.released(held.key(), held) : null;
		return (next != null) ? next : released;
	}

	/**
	 * An attempt ended.
	 * @param place its place in the queue, if it may have one
	 */
	void leave(LockAcquisition acquisition, End end, @Nullable QueuedClaim place) {
		LockAcquisition next;
		if (end instanceof Granted granted && !granted.handedOver()) {
			leaveQueue(place, true);
			HeldLock held = granted.held();
			next = this.queues.granted(held.key(), acquisition, held);
		}
		else {
			leaveQueue(place, false);
			next = this.queues.left(acquisition.key(), acquisition);
		}
		passTurn(next);
	}

	/**
	 * An attempt needs its place in the queue no longer.
	 * @param place the place, if there may be one
	 * @param granted whether the grant took it out of the queue
	 */
	void leaveQueue(@Nullable QueuedClaim place, boolean granted) {
		if (place != null && granted) {
			this.places.granted(place);
		}
		else if (place != null) {
			this.places.left(place);
		}
	}

	/**
	 * A lock of this JVM was released or lost: the next one has its turn. May be called
	 * again.
	 */
	public static void released(LocalWaitQueues<LockAcquisition, HeldLock> queues, HeldLock held) {
		passTurn(held, queues.released(held.key(), held));
	}

	/**
	 * Pass the turn on.
	 * @param next whose turn it is, if anyone's
	 */
	static void passTurn(HeldLock from, @Nullable LockAcquisition next) {
		if (next != null && from.grant().contended()) {
			next.expectQueue();
		}
		passTurn(next);
	}

	/**
	 * Pass the turn on.
	 * @param next whose turn it is, if anyone's
	 */
	static void passTurn(@Nullable LockAcquisition next) {
		if (next != null) {
			next.callTurn();
		}
	}

}
