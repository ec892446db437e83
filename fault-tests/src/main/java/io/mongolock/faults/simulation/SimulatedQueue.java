package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;

import io.mongolock.core.ClockReading;
import io.mongolock.core.PlaceRequest;
import io.mongolock.core.QueuePlaces;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.StoredLock;

/**
 * Runs the places in the queue of one client as the product's own shell does, with or
 * without a watch over releases that forgets and invents some.
 */
final class SimulatedQueue {

	private static final long FAR = 1_000_000_000_000L;

	private final SimulatedClient client;

	private final QueuePlaces places;

	private final boolean live;

	private int looks;

	private boolean awake;

	SimulatedQueue(SimulatedClient client, Duration placeTtl) {
		this.client = client;
		this.places = new QueuePlaces(placeTtl, QueuePlaces.MAX_PLACES, (bound) -> client.timeline.between(0, bound));
		this.live = client.timeline.chance(0.5);
		this.places.onWork(this::wake);
	}

	QueuePlaces places() {
		return this.places;
	}

	// A place of a lock became free
	void released(String key) {
		if (this.live && !this.client.timeline.chance(0.1)) {
			this.client.after(this.client.timeline.between(1_000_000, 50_000_000), () -> {
				this.client.judge.count(Event.HINT);
				this.places.wakeIfAdmitted(key);
				if (this.client.timeline.chance(0.05)) {
					this.places.missed(this.client.now());
				}
			});
		}
	}

	// Called inside of events: what is due begins after them
	private void wake() {
		if (!this.awake) {
			this.awake = true;
			this.client.after(this.client.timeline.between(0, 100_000), () -> {
				this.awake = false;
				look();
			});
		}
	}

	private void look() {
		int look = ++this.looks;
		ClockReading now = this.client.now();
		this.places.due(this.live, now).forEach(this::send);
		long next = this.places.nextIn(now);
		if (next < FAR) {
			this.client.after(Math.max(next, 0), () -> {
				if (look == this.looks) {
					look();
				}
			});
		}
	}

	private void send(PlaceRequest request) {
		Request<List<StoredLock>> sent = switch (request.kind()) {
			case REFRESH -> Request.refresh(request.places(), request.timeout());
			case LOOK -> Request.look(request.places(), request.timeout());
			case LEAVE -> Request.leave(request.places(), request.timeout());
		};
		this.client.ask(sent, (locks) -> {
			this.client.judge.count(Event.valueOf("QUEUE_" + request.kind()));
			this.places.answered(request, locks, this.client.now());
		}, (outcome) -> this.places.failed(request, this.client.now()));
	}

}
