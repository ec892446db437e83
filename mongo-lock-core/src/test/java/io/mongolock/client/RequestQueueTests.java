package io.mongolock.client;

import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import io.mongolock.client.RequestQueue.Reason;
import io.mongolock.client.RequestQueue.Request;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestQueue}: 48 requests at a time, 8 of one key, 40 that may take
 * long, 32 of these that were not called.
 */
class RequestQueueTests {

	private final RequestQueue queue = new RequestQueue();

	private final List<String> ran = new ArrayList<>();

	private final List<String> brief = new ArrayList<>();

	@Test
	void requestsLeaveInTheOrderOfComingAsLongAsThereIsRoom() {
		for (int i = 0; i < 60; i++) {
			add("k" + i, (i % 3 == 0) ? Reason.UNANSWERED : Reason.OTHER);
		}
		List<Request> underway = takeAll();
		assertThat(this.ran).hasSize(48).startsWith("k0", "k1", "k2", "k3");
		assertThat(this.ran.subList(0, 32)).endsWith("k30", "k31");
		end(underway);
		takeAll();
		assertThat(this.ran).hasSize(60).doesNotHaveDuplicates();
	}

	@Test
	void aCalledClaimGoesFirst() {
		for (int i = 0; i < 60; i++) {
			add("k" + i, Reason.OTHER);
		}
		List<Request> underway = takeAll();
		add("called", Reason.CALLED);
		this.queue.ended(underway.get(0));
		takeAll();
		assertThat(this.ran).hasSize(49).endsWith("called");
	}

	@Test
	void unansweredAndCalledClaimsLeaveThreadsToOthers() {
		for (int i = 0; i < 100; i++) {
			add("blocked" + i, Reason.UNANSWERED);
			add("called" + i, Reason.CALLED);
		}
		List<Request> underway = takeAll();
		assertThat(underway).hasSize(40);
		add("k", Reason.OTHER);
		takeAll();
		assertThat(this.ran).endsWith("k");
		assertThat(this.brief).containsExactly("k");
		end(underway);
		assertThat(takeAll()).hasSize(40);
	}

	@Test
	void unansweredClaimsLeaveThreadsToCalledClaims() {
		for (int i = 0; i < 100; i++) {
			add("blocked" + i, Reason.UNANSWERED);
		}
		assertThat(takeAll()).hasSize(32);
		for (int i = 0; i < 100; i++) {
			add("called" + i, Reason.CALLED);
		}
		assertThat(takeAll()).hasSize(8);
	}

	@Test
	void aClaimThatBeginsIsBriefOnlyBesideManyThatMayTakeLong() {
		for (int i = 0; i < 100; i++) {
			add("k" + i, Reason.OTHER);
		}
		List<Request> underway = takeAll();
		assertThat(this.brief).hasSize(16).startsWith("k32").endsWith("k47");
		end(underway.subList(32, 48));
		takeAll();
		assertThat(this.brief).hasSize(32).endsWith("k63");
		end(underway.subList(0, 32));
		takeAll();
		assertThat(this.brief).as("there is room again").hasSize(32);
		assertThat(this.ran).hasSize(96);
	}

	@Test
	void oneKeyLeavesMostOfTheThreadsToTheOthersAndIsServedToTheEnd() {
		for (int i = 0; i < 100; i++) {
			add("blocked", Reason.OTHER);
		}
		List<Request> underway = takeAll();
		assertThat(underway).hasSize(8);
		add("k", Reason.OTHER);
		add("blocked", Reason.CALLED);
		List<Request> more = takeAll();
		assertThat(this.ran.subList(8, 10)).containsExactly("blocked", "k");
		end(more);
		while (!underway.isEmpty()) {
			end(underway);
			underway = takeAll();
			assertThat(underway).hasSizeLessThanOrEqualTo(8);
		}
		assertThat(this.ran).hasSize(102);
		assertThat(this.queue).extracting("keys").asInstanceOf(InstanceOfAssertFactories.MAP).isEmpty();
	}

	@Test
	void whenOneOfAKeyHasEndedAnotherOfItFollows() {
		for (int i = 0; i < 20; i++) {
			add("k", Reason.OTHER);
		}
		this.queue.ended(takeAll().get(0));
		assertThat(takeAll()).hasSize(1);
	}

	private void add(String key, Reason reason) {
		this.queue.add(key, reason, (brief) -> {
			this.ran.add(key);
			if (brief) {
				this.brief.add(key);
			}
		});
	}

	private List<Request> takeAll() {
		List<Request> taken = new ArrayList<>();
		for (Request request = this.queue.next(); request != null; request = this.queue.next()) {
			request.run();
			taken.add(request);
		}
		return taken;
	}

	private void end(List<Request> underway) {
		underway.forEach(this.queue::ended);
	}

}
