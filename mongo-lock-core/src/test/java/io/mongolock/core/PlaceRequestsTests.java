package io.mongolock.core;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PlaceRequests}: 2 s between two refreshes.
 */
class PlaceRequestsTests {

	private final PlaceRequests requests = new PlaceRequests(Duration.ofSeconds(2).toNanos());

	/** A place that is never looked at, unless somebody does so all the same. */
	private final List<QueuePlace> touched = new AbstractList<>() {

		@Override
		public QueuePlace get(int index) {
			throw new AssertionError("No place is due");
		}

		@Override
		public int size() {
			return 1;
		}

	};

	@Test
	void noPlaceIsTouchedByAWakeBeforeOneIsDue() {
		List<PlaceRequest> requests = new ArrayList<>();
		this.requests.begin(at(0));
		this.requests.addLooks(List.of(), true, requests, at(0));
		this.requests.lookAt(at(500).nanos());
		this.requests.addLooks(this.touched, true, requests, at(499));
		assertThat(this.requests.nextIn(this.touched, false, true, at(499))).isEqualTo(1_000_000);
		assertThat(requests).isEmpty();
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
