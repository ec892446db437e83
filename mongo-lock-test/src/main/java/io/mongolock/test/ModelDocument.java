package io.mongolock.test;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.ReleaseRequest;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * One lock document, with the change that each request makes: the meaning of the
 * statements that the server executes, without server, clock and threads. Immutable; a
 * request that changes nothing returns the same instance.
 *
 * @param holders the holders, including those whose leases ran out
 * @param queue the waiters in the order of their arrival, including those whose places
 * ran out
 * @param fence the highest number given out
 * @param touchedAt when it was last written by a claim or renewal
 * @param previous the holders as they stood before the last grant
 * @param recalled the token of the holder that was recalled last, {@code null} if none
 * was
 */
record ModelDocument(List<StoredHolder> holders, List<StoredWaiter> queue, long fence, Instant touchedAt,
		List<StoredHolder> previous, @Nullable String recalled) {

	/**
	 * A lock that was never requested.
	 */
	static final ModelDocument NONE = new ModelDocument(List.of(), List.of(), 0, Instant.EPOCH, List.of(), null);

	/**
	 * Claim the lock. The claim is granted if the holders and the waiters ahead in the
	 * queue are fewer than the smallest limit of the claim, these holders and these
	 * waiters. The first request for an exclusive lock first checks only whether there
	 * may be any holder or waiter. If its token already holds the lock, this request does
	 * not renew the lease.
	 * @param claim the claim
	 * @param now the store's time, whole milliseconds
	 * @return the lock after it
	 */
	ModelDocument claim(Claim claim, Instant now) {
		List<StoredHolder> alive = this.holders.stream().filter((holder) -> holder.isAlive(now)).toList();
		if (isFast(claim) && haveAllRunOut(now)) {
			return grant(claim, List.of(), List.of(), now);
		}
		return (isFast(claim) && !alive.isEmpty()) ? this : decide(claim, alive, now);
	}

	private static boolean isFast(Claim claim) {
		return claim.first() && claim.limit() == 1 && !claim.waiting();
	}

	// Whether the longest ttl has passed since the latest renewal, and the longest time
	// for which a place stays since the latest refresh
	private boolean haveAllRunOut(Instant now) {
		return !lastEnd(this.holders, StoredHolder::renewedAt, StoredHolder::ttl).isAfter(now) && !lastEnd(this.queue,
				StoredWaiter::renewedAt, (waiter) -> waiter.ttl().multipliedBy(StoredWaiter.STAYS))
			.isAfter(now);
	}

	private static <T> Instant lastEnd(List<T> entries, Function<T, Instant> renewedAt, Function<T, Duration> ttl) {
		Instant last = entries.stream().map(renewedAt).max(Comparator.naturalOrder()).orElse(Instant.EPOCH);
		return last.plus(entries.stream().map(ttl).max(Comparator.naturalOrder()).orElse(Duration.ZERO));
	}

	/**
	 * The answer to a claim that has led to this state.
	 * @param claim the claim
	 * @param now the store's time
	 * @return the answer of the store
	 */
	ClaimAnswer answer(Claim claim, Instant now) {
		boolean withoutQueue = isFast(claim) && this.holders.stream().anyMatch((holder) -> holder.isAlive(now));
		StoredLock shown = look(claim.id(), now);
		return new ClaimAnswer(new StoredLock(shown.key(), this.holders, (withoutQueue) ? List.of() : shown.queue(),
				this.previous, this.fence, now, this.recalled, (withoutQueue) ? HiddenPlaces.NONE : shown.hidden()));
	}

	/**
	 * The lock as a waiter is shown it: with the first live places ahead of the waiter,
	 * and its own place.
	 * @param claim the token that waits
	 * @param now the store's time
	 * @return the lock as it is shown
	 */
	StoredLock look(LeaseId claim, Instant now) {
		List<StoredWaiter> alive = this.queue.stream().filter((waiter) -> waiter.isAlive(now)).toList();
		List<StoredWaiter> ahead = ahead(alive, claim.leaseToken());
		int shown = Math.min(HiddenPlaces.SHOWN, ahead.size());
		List<StoredWaiter> fromOwn = alive.subList(ahead.size(), alive.size());
		List<StoredWaiter> own = fromOwn.subList(0, Math.min(1, fromOwn.size()));
		int limit = ahead.stream().skip(shown).mapToInt(StoredWaiter::limit).min().orElse(Integer.MAX_VALUE);
		return new StoredLock(claim.key(), this.holders,
				Stream.concat(ahead.subList(0, shown).stream(), own.stream()).toList(), List.of(), this.fence, now,
				this.recalled, new HiddenPlaces(ahead.size() - shown, limit, fromOwn.size() - own.size()));
	}

	/**
	 * The whole lock.
	 * @param key its key
	 * @param now the store's time
	 * @return the lock as it is shown
	 */
	StoredLock look(String key, Instant now) {
		return new StoredLock(key, this.holders, this.queue, this.previous, this.fence, now, this.recalled);
	}

	private ModelDocument decide(Claim claim, List<StoredHolder> alive, Instant now) {
		String token = claim.id().leaseToken();
		List<StoredWaiter> staying = this.queue.stream().filter((waiter) -> waiter.stays(now)).toList();
		List<StoredWaiter> others = staying.stream().filter((waiter) -> !waiter.leaseToken().equals(token)).toList();
		if (alive.stream().anyMatch((holder) -> holder.leaseToken().equals(token))) {
			return new ModelDocument(refreshed(alive, token, null, now), others, this.fence, now, this.previous,
					this.recalled);
		}
		List<StoredWaiter> ahead = ahead(staying, token).stream().filter((waiter) -> waiter.isAlive(now)).toList();
		if (isAdmitted(claim, alive, ahead)) {
			return grant(claim, alive, others, now);
		}
		return (claim.placeTtl() != null) ? enterQueue(claim, alive, staying, now, claim.placeTtl()) : this;
	}

	/**
	 * Renew a lease, even one that has run out, as long as it still exists.
	 * @param token the token of the lease
	 * @param note the note of its holder, {@code null} to keep the former one
	 * @param now the store's time
	 * @return the lock after it
	 */
	ModelDocument renew(String token, @Nullable String note, Instant now) {
		return (isHeldBy(token)) ? new ModelDocument(refreshed(this.holders, token, note, now), this.queue, this.fence,
				now, this.previous, this.recalled) : this;
	}

	/**
	 * Set the last length, from now on, of the lease of a holder that has finished. This
	 * includes a lease that has run out, as long as it still exists.
	 * @param token the token of the lease
	 * @param ttl how long it lasts
	 * @param now the store's time
	 * @return the lock after it
	 */
	ModelDocument expire(String token, Duration ttl, Instant now) {
		return with(token, now, (holder) -> new StoredHolder(token, holder.fence(), holder.limit(), holder.owner(),
				holder.acquiredAt(), now, ttl, holder.releaseRequest(), true, holder.linger(), holder.note()));
	}

	/**
	 * Ask a holder to release the lock.
	 * @param token the token of the holder
	 * @param reason why
	 * @param by who asks
	 * @param now the store's time
	 * @return the lock after it
	 */
	ModelDocument requestRelease(String token, String reason, String by, Instant now) {
		ReleaseRequest request = new ReleaseRequest(reason, by, now);
		return with(token, now,
				(holder) -> new StoredHolder(token, holder.fence(), holder.limit(), holder.owner(), holder.acquiredAt(),
						holder.renewedAt(), holder.ttl(), request, holder.kept(), holder.linger(), holder.note()));
	}

	/**
	 * End a lease.
	 * @param token the token of the lease
	 * @return the lock after it
	 */
	ModelDocument release(String token) {
		return without((holder) -> holder.leaseToken().equals(token));
	}

	/**
	 * End one grant of a lease.
	 * @param token the token of the lease
	 * @param fence the number of the grant
	 * @return the lock after it
	 */
	ModelDocument release(String token, long fence) {
		return without((holder) -> holder.leaseToken().equals(token) && holder.fence() == fence);
	}

	/**
	 * Refresh a place in the queue, even one that has run out, as long as it still
	 * exists.
	 * @param token the token that waits
	 * @param now the store's time
	 * @return the lock after it
	 */
	ModelDocument refresh(String token, Instant now) {
		if (this.queue.stream().noneMatch((waiter) -> waiter.leaseToken().equals(token))) {
			return this;
		}
		List<StoredWaiter> queue = this.queue.stream()
			.map((waiter) -> (waiter.leaseToken().equals(token)) ? refreshed(waiter, now) : waiter)
			.toList();
		return new ModelDocument(this.holders, queue, this.fence, now, this.previous, this.recalled);
	}

	/**
	 * Leave the queue.
	 * @param token the token that waits
	 * @return the lock after it
	 */
	ModelDocument leave(String token) {
		List<StoredWaiter> others = this.queue.stream().filter((waiter) -> !waiter.leaseToken().equals(token)).toList();
		return (others.size() != this.queue.size())
				? new ModelDocument(this.holders, others, this.fence, this.touchedAt, this.previous, this.recalled)
				: this;
	}

	/**
	 * Whether a lease still exists, even if it has run out.
	 * @param token the token of the lease
	 * @return whether it exists
	 */
	boolean isHeldBy(String token) {
		return this.holders.stream().anyMatch((holder) -> holder.leaseToken().equals(token));
	}

	/**
	 * The holders that {@link #cleared} takes away.
	 * @return the lock with these holders only
	 */
	ModelDocument freed(Set<String> kept) {
		return without((holder) -> kept.contains(holder.leaseToken()));
	}

	/**
	 * Take the lock away from all holders and waiters.
	 * @param kept the tokens of leases that stay, together with their waiters
	 * @return the lock after it
	 */
	ModelDocument cleared(Set<String> kept) {
		List<StoredHolder> left = this.holders.stream().filter((holder) -> kept.contains(holder.leaseToken())).toList();
		return new ModelDocument(left, (left.isEmpty()) ? List.of() : this.queue, this.fence, this.touchedAt, List.of(),
				this.recalled);
	}

	private ModelDocument with(String token, Instant now, UnaryOperator<StoredHolder> changed) {
		List<StoredHolder> after = this.holders.stream()
			.map((holder) -> (holder.leaseToken().equals(token)) ? changed.apply(holder) : holder)
			.toList();
		return (isHeldBy(token)) ? new ModelDocument(after, this.queue, this.fence, now, this.previous, this.recalled)
				: this;
	}

	private ModelDocument without(Predicate<StoredHolder> ended) {
		List<StoredHolder> others = this.holders.stream().filter(ended.negate()).toList();
		return (others.size() != this.holders.size())
				? new ModelDocument(others, this.queue, this.fence, this.touchedAt, this.previous, this.recalled)
				: this;
	}

	private ModelDocument grant(Claim claim, List<StoredHolder> alive, List<StoredWaiter> others, Instant now) {
		long next = Math.max(this.fence + 1, now.toEpochMilli() * 1024);
		// We cannot know which fences a deleted document gave out, so none below the
		// clock are set aside
		long fence = (this != NONE) ? Math.max(next - claim.reserve(), this.fence + 1) : next;
		StoredHolder granted = new StoredHolder(claim.id().leaseToken(), fence, claim.limit(), claim.owner(), now, now,
				claim.ttl(), null, false, claim.linger(), "");
		return new ModelDocument(appended(alive, granted), others, next, now, this.holders, this.recalled);
	}

	private ModelDocument enterQueue(Claim claim, List<StoredHolder> alive, List<StoredWaiter> staying, Instant now,
			Duration placeTtl) {
		String token = claim.id().leaseToken();
		List<StoredWaiter> queue = staying.stream()
			.map((waiter) -> (waiter.leaseToken().equals(token)) ? refreshed(waiter, now) : waiter)
			.toList();
		if (staying.stream().noneMatch((waiter) -> waiter.leaseToken().equals(token))) {
			queue = appended(staying,
					new StoredWaiter(token, claim.limit(), claim.owner(), now, placeTtl, claim.holds()));
		}
		String recalled = alive.stream()
			.filter((holder) -> !holder.linger().isZero())
			.map(StoredHolder::leaseToken)
			.findFirst()
			.orElse(this.recalled);
		return new ModelDocument(this.holders, queue, this.fence, now, this.previous, recalled);
	}

	private static boolean isAdmitted(Claim claim, List<StoredHolder> alive, List<StoredWaiter> ahead) {
		IntStream limits = IntStream.concat(alive.stream().mapToInt(StoredHolder::limit),
				ahead.stream().mapToInt(StoredWaiter::limit));
		return alive.size() + ahead.size() < Math.min(claim.limit(), limits.min().orElse(Integer.MAX_VALUE));
	}

	private static List<StoredWaiter> ahead(List<StoredWaiter> queue, String token) {
		return queue.stream().takeWhile((waiter) -> !waiter.leaseToken().equals(token)).toList();
	}

	private static List<StoredHolder> refreshed(List<StoredHolder> holders, String token, @Nullable String note,
			Instant now) {
		return holders.stream()
			.map((holder) -> (holder.leaseToken().equals(token)) ? new StoredHolder(token, holder.fence(),
					holder.limit(), holder.owner(), holder.acquiredAt(), now, holder.ttl(), holder.releaseRequest(),
					holder.kept(), holder.linger(), (note != null) ? note : holder.note()) : holder)
			.toList();
	}

	private static StoredWaiter refreshed(StoredWaiter waiter, Instant now) {
		return new StoredWaiter(waiter.leaseToken(), waiter.limit(), waiter.owner(), now, waiter.ttl(), waiter.holds());
	}

	private static <T> List<T> appended(List<T> entries, T last) {
		return Stream.concat(entries.stream(), Stream.of(last)).toList();
	}

}
