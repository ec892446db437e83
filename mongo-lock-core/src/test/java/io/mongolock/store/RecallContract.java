package io.mongolock.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a lease that its client may keep is recalled, which takes nothing from anybody.
 */
interface RecallContract extends LockStoreContract {

	Duration LINGER = Duration.ofSeconds(10);

	@Test
	default void aHolderSaysHowLongItsClientMayKeepTheLease() {
		Claim first = Claims.lingering(Claims.first(Claims.on("key")), LINGER);
		assertThat(grant(first).linger()).isEqualTo(LINGER);
		assertThat(grant(Claims.lingering(Claims.reserve(Claims.on("other"), 64), LINGER)).linger()).isEqualTo(LINGER);
		assertThat(grant(Claims.on("third")).linger()).isZero();
		assertThat(renew(first)).isTrue();
		assertThat(grant(first.alone()).linger()).as("granted again").isEqualTo(LINGER);
		assertThat(find("key").recalled()).isNull();
	}

	@Test
	default void aClaimThatEntersTheQueueRecallsAHolderWhoseLeaseMayBeIdle() {
		Claim holder = Claims.lingering(Claims.on("key"), LINGER);
		StoredHolder granted = grant(holder);
		ClaimAnswer denied = deny(Claims.on("key"));
		assertThat(denied.lock().mayBeIdle()).isTrue();
		assertThat(denied.lock().recalled()).as("by one that does not wait").isNull();
		ClaimAnswer recalls = deny(Claims.waiting(Claims.on("key")));
		assertThat(recalls.lock().recalled()).isEqualTo(holder.id().leaseToken());
		assertThat(recalls.lock().mayBeIdle()).as("it was recalled").isFalse();
		assertThat(deny(Claims.on("key")).lock().recalled()).isEqualTo(holder.id().leaseToken());
		assertThat(find("key").recalled()).isEqualTo(holder.id().leaseToken());
		assertThat(store().findAll(List.of("key"), TIMEOUT)).extracting(StoredLock::recalled)
			.containsExactly(holder.id().leaseToken());
		assertThat(renew(holder)).isTrue();
		assertThat(releaseGrant(holder, granted)).isTrue();
	}

	@Test
	default void oneWhoWaitsIsShownWhetherTheHolderMayBeIdleAndWasRecalled() {
		Claim holder = Claims.lingering(Claims.on("key"), LINGER);
		Claim waiter = Claims.waiting(Claims.on("key"));
		Claim next = Claims.lingering(Claims.waiting(Claims.on("key")), LINGER);
		grant(holder);
		deny(next);
		deny(waiter);
		assertThat(look(waiter)).allMatch((lock) -> !lock.mayBeIdle());
		release(holder);
		grant(next);
		assertThat(look(waiter)).allMatch(StoredLock::mayBeIdle);
		deny(waiter);
		assertThat(look(waiter)).allMatch((lock) -> !lock.mayBeIdle());
	}

	private List<StoredLock> look(Claim waiter) {
		List<LeaseId> places = List.of(waiter.id());
		return List.of(store().lookAll(places, TIMEOUT).get(0), store().refreshAll(places, TIMEOUT).get(0));
	}

	@Test
	default void aHolderThatIsDoneIsNotIdleThoughItsLeaseStays() {
		Claim holder = Claims.lingering(Claims.on("key"), LINGER);
		grant(holder);
		assertThat(store().expireAll(Map.of(holder.id(), shortTtl()), TIMEOUT)).isOne();
		assertThat(deny(Claims.on("key")).lock().mayBeIdle()).isFalse();
	}

	@Test
	default void oneThatReleasesAtOnceIsNotRecalled() {
		grant(Claims.on("key"));
		ClaimAnswer denied = deny(Claims.waiting(Claims.on("key")));
		assertThat(denied.lock().mayBeIdle()).isFalse();
		assertThat(denied.lock().recalled()).isNull();
	}

	@Test
	default void theNextHolderIsRecalledInItsTurn() {
		Claim holder = Claims.lingering(Claims.on("key"), LINGER);
		Claim next = Claims.lingering(Claims.waiting(Claims.on("key")), LINGER);
		Claim last = Claims.waiting(Claims.on("key"));
		grant(holder);
		deny(next);
		deny(last);
		release(holder);
		grant(next);
		assertThat(find("key").recalled()).as("means nothing for the next one").isEqualTo(holder.id().leaseToken());
		assertThat(deny(Claims.on("key")).lock().mayBeIdle()).isTrue();
		assertThat(deny(last).lock().recalled()).isEqualTo(next.id().leaseToken());
	}

	@Test
	default void aHolderWhoseLeaseRanOutIsNotIdle() {
		grant(Claims.lingering(Claims.ttl(Claims.on("key"), shortTtl()), LINGER));
		assertThat(find("key").mayBeIdle()).isTrue();
		elapse(shortTtl());
		assertThat(find("key").mayBeIdle()).isFalse();
	}

	@Test
	default void aHolderWhoseLeaseRanOutIsNotRecalled() {
		Claim waiter = Claims.waiting(Claims.on("key"));
		grant(Claims.lingering(Claims.ttl(Claims.on("key"), shortTtl()), LINGER));
		Claim other = Claims.waiting(Claims.on("key"));
		deny(other);
		elapse(shortTtl());
		grant(other);
		deny(waiter);
		assertThat(find("key").recalled()).isNotEqualTo(other.id().leaseToken());
	}

}
