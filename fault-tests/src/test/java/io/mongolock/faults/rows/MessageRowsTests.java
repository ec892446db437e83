package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockHandle;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 8 to 12: single requests and replies that come late or never.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MessageRowsTests {

	private static final Duration TTL = Duration.ofSeconds(6);

	@AutoClose
	private final Harness harness = Harness.embedded();

	@Test
	@ShowsRow(value = 8, level = Level.PROXY)
	void aClaimDeliveredAfterItsCallerGaveUpIsTakenBack(RowFigures figures) {
		HarnessClient late = this.harness.behindProxy(TTL, Duration.ZERO);
		Hold hold = this.harness.claims().holdRequest();
		Expect.outcomeUnknown(late);
		assertTakenBack(hold, TTL, figures);
	}

	@Test
	@ShowsRow(value = 8, level = Level.PROXY)
	void aClaimDeliveredLongAfterItsCallerGaveUpIsTakenBack(RowFigures figures) {
		HarnessClient late = this.harness.behindProxy(TTL, Duration.ZERO);
		Hold hold = this.harness.claims().holdRequest();
		// A busy machine may be later than the last release: then once more
		while (giveUpAndAwaitReleases(late) > TTL.toNanos() * 3 / 4) {
			hold = this.harness.claims().holdRequest();
		}
		assertTakenBack(hold, TTL, figures);
	}

	// At once, and after 1/32, 1/16, 1/8, 1/4 and 1/2 of the ttl; a busy machine leaves
	// out those that are past
	private long giveUpAndAwaitReleases(HarnessClient late) {
		int releases = this.harness.proxy().replies("findAndModify");
		Expect.outcomeUnknown(late);
		long gaveUp = System.nanoTime();
		await().atMost(Harness.LONG)
			.until(() -> this.harness.proxy().replies("findAndModify") >= releases + 6
					|| System.nanoTime() - gaveUp > TTL.toNanos() * 5 / 8);
		return System.nanoTime() - gaveUp;
	}

	@Test
	@ShowsRow(value = 8, level = Level.PROXY)
	void aClaimDeliveredLateWhileAnotherHoldsIsNotGranted(RowFigures figures) {
		HarnessClient late = this.harness.behindProxy(TTL, Duration.ZERO);
		HarnessClient other = this.harness.direct(Harness.LONG);
		Hold hold = this.harness.claims().holdRequest();
		Expect.outcomeUnknown(late);
		LockHandle handle = other.acquire();
		this.harness.deliver(hold, "findAndModify");
		Expect.heldBy(handle, this.harness.holders());
		handle.renew();
		handle.close();
		figures.server(this.harness.label()).add("grants beside the holder", 0);
	}

	@Test
	@ShowsRow(value = 8, level = Level.PROXY)
	void aClaimAskedAgainAndReleasedIsNotBroughtBackByItsLateTwin(RowFigures figures) {
		HarnessClient late = this.harness.behindProxy(TTL, Harness.LONG);
		Hold hold = this.harness.claims().holdRequest();
		LockHandle handle = late.acquire();
		int before = this.harness.proxy().replies("findAndModify");
		handle.close();
		// The release, and the first of the clean-up
		this.harness.proxy().awaitReplies("findAndModify", before + 2, Harness.LONG);
		this.harness.deliver(hold, "findAndModify");
		assertThat(this.harness.stored().orElseThrow().fence()).as("granted again").isGreaterThan(handle.fence());
		this.harness.awaitFree();
		figures.server(this.harness.label()).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 9, level = Level.PROXY)
	void aClaimWhoseReplyIsLostIsAskedAgainAndGrantedOnce(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Harness.LONG);
		int before = this.harness.proxy().replies("findAndModify");
		this.harness.claims().dropReply().once();
		try (LockHandle handle = client.acquire()) {
			int asked = this.harness.proxy().replies("findAndModify") - before;
			assertThat(asked).as("executed twice").isEqualTo(2);
			assertThat(this.harness.stored().orElseThrow().fence()).as("granted once").isEqualTo(handle.fence());
			assertThat(this.harness.holders()).hasSize(1);
			figures.server(this.harness.label()).add("requests", asked).add("fences", 1).add("double grants", 0);
		}
		this.harness.awaitFree();
	}

	@Test
	@ShowsRow(value = 9, level = Level.PROXY)
	void aClaimWhoseConnectionBreaksBeforeTheReplyLeavesNoOrphan(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Duration.ZERO);
		this.harness.claims().cutBeforeReply().times(5);
		Expect.outcomeUnknown(client);
		Expect.grantedToNobody(this.harness);
		figures.server(this.harness.label()).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 9, level = Level.PROXY)
	void aClaimWhoseConnectionBreaksIsAskedAgainWithinItsRequestAndCleanedUpAfterItsRelease(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Duration.ZERO);
		this.harness.claims().cutBeforeReply().once();
		LockHandle handle = client.acquire();
		assertThat(this.harness.stored().orElseThrow().fence()).as("granted once").isEqualTo(handle.fence());
		int before = this.harness.proxy().replies("findAndModify");
		handle.close();
		// The release, and the first of the clean-up: the first request may still be
		// executed
		this.harness.proxy().awaitReplies("findAndModify", before + 2, Harness.LONG);
		this.harness.awaitFree();
		figures.server(this.harness.label()).add("fences", 1).add("orphans", 0);
	}

	@Test
	@ShowsRow(value = 9, level = Level.PROXY)
	void aReplyThatIsLateMakesTheLeaseNoLonger(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(TTL, Harness.LONG);
		Duration delay = Duration.ofMillis(900);
		this.harness.claims().delayReply(delay).once();
		try (LockHandle handle = client.acquireUnrenewed()) {
			assertThat(handle.remaining()).isLessThanOrEqualTo(TTL.multipliedBy(4).dividedBy(5).minus(delay));
			assertThat(this.harness.stored().orElseThrow().fence()).isEqualTo(handle.fence());
			this.harness.renewals().delayReply(delay).once();
			handle.renew();
			assertThat(handle.remaining()).isLessThanOrEqualTo(TTL.multipliedBy(4).dividedBy(5).minus(delay));
			figures.server(this.harness.label())
				.add("relied on for", handle.remaining().toMillis() + " ms after 900 ms");
		}
	}

	@Test
	@ShowsRow(value = 10, level = Level.PROXY)
	void aRenewalDeliveredAfterTheReleaseBringsNothingBack(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(TTL, Harness.LONG);
		Hold hold = this.harness.renewals().holdRequest();
		LockHandle handle = client.acquire();
		hold.awaitHeld(Harness.LONG);
		handle.close();
		Document released = this.harness.document().orElseThrow();
		assertThat(this.harness.holders()).isEmpty();
		this.harness.deliver(hold, "update");
		assertThat(this.harness.document()).contains(released);
		figures.server(this.harness.label()).add("resurrected", 0);
	}

	@Test
	@ShowsRow(value = 11, level = Level.PROXY)
	void aRenewalDeliveredAfterTheTakeOverDoesNotTouchTheNewHolder(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Duration.ofSeconds(10), Harness.LONG);
		HarnessClient other = this.harness.direct(Harness.LONG);
		Hold hold = this.harness.renewals().holdAllRequests();
		LockHandle handle = client.acquire();
		LockHandle next = Expect.notifiedBeforeTheNextGrant(client, handle, other,
				figures.server(this.harness.label()));
		Document taken = this.harness.document().orElseThrow();
		this.harness.deliver(hold, "update");
		assertThat(this.harness.document()).contains(taken);
		assertThat(next.isHeld()).isTrue();
		next.close();
		figures.add("fence", "unchanged");
	}

	@Test
	@ShowsRow(value = 12, level = Level.PROXY)
	void aReleaseWhoseReplyIsLostNeverFreesTheNextHolder(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(TTL, Harness.LONG);
		HarnessClient other = this.harness.direct(Harness.LONG);
		LockHandle handle = client.acquire();
		int before = this.harness.proxy().replies("findAndModify");
		this.harness.releases().dropReply().once();
		CompletableFuture<Void> closed = Daemon.run(handle::close);
		LockHandle next = other.acquire();
		// The release that failed, and the one that cleans up behind it
		this.harness.proxy().awaitReplies("findAndModify", before + 2, Harness.LONG);
		assertThat(closed).as("the caller is not troubled").succeedsWithin(Harness.LONG.toSeconds(), TimeUnit.SECONDS);
		Expect.heldBy(next, this.harness.holders());
		assertThat(next.fence()).isGreaterThan(handle.fence());
		next.renew();
		next.close();
		figures.server(this.harness.label()).add("foreign frees", 0);
	}

	@Test
	@ShowsRow(value = 12, level = Level.PROXY)
	void aReleaseThatIsLostIsRepeatedBehindTheCaller(RowFigures figures) {
		HarnessClient client = this.harness.behindProxy(Harness.LONG, Harness.LONG);
		LockHandle handle = client.acquire();
		this.harness.releases().cut().once();
		handle.close();
		long closed = System.nanoTime();
		this.harness.awaitFree();
		figures.server(this.harness.label())
			.add("free after", Harness.millis(System.nanoTime() - closed) + " of a ttl of 30000 ms");
	}

	private void assertTakenBack(Hold hold, Duration ttl, RowFigures figures) {
		this.harness.deliver(hold, "findAndModify");
		long delivered = System.nanoTime();
		Expect.grantedToNobody(this.harness);
		long orphan = System.nanoTime() - delivered;
		assertThat(Duration.ofNanos(orphan)).isLessThanOrEqualTo(ttl);
		figures.server(this.harness.label())
			.add("orphan", Harness.millis(orphan) + " of a ttl of " + ttl.toMillis() + " ms");
	}

}
