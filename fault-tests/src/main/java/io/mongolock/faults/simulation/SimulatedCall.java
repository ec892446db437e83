package io.mongolock.faults.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;
import io.mongolock.test.StoreLog;

/**
 * A request on its way through the network, and whether its client still waits for it.
 *
 * @param <T> what is answered
 */
final class SimulatedCall<T> {

	final SimulatedProcess client;

	final Request<T> request;

	private final Consumer<T> onReply;

	private final Consumer<LockStoreException.Outcome> onFailure;

	/** What was refused of it, statement by statement. */
	List<LeaseId> refused = List.of();

	private boolean over;

	private @Nullable T result;

	private @Nullable Object write;

	private int length;

	SimulatedCall(SimulatedProcess client, Request<T> request, Consumer<T> onReply,
			Consumer<LockStoreException.Outcome> onFailure) {
		this.client = client;
		this.request = request;
		this.onReply = onReply;
		this.onFailure = onFailure;
	}

	// Execute the request; a copy of one that has written already is answered as before,
	// as retryable writes are
	T execute(StoreLog log, Instant now) {
		T before = this.result;
		if (before != null && this.write != null && log.remembers(this.length, this.write)) {
			return before;
		}
		int length = log.length();
		T answer = this.request.execution().apply(log, now);
		this.result = answer;
		this.length = log.length();
		this.write = (log.length() != length) ? log.last() : null;
		return answer;
	}

	boolean isOver() {
		return this.over;
	}

	void reply(T answer) {
		if (!this.over) {
			this.over = true;
			this.onReply.accept(answer);
		}
	}

	void fail(LockStoreException.Outcome outcome) {
		if (!this.over) {
			this.over = true;
			this.onFailure.accept(outcome);
		}
	}

	/**
	 * A statement about some leases, whose answer may wait for replication, and which the
	 * client gives up after a timeout.
	 */
	record Request<T>(Kind kind, List<LeaseId> ids, boolean majority, Duration timeout,
			BiFunction<StoreLog, Instant, T> execution) {

		static Request<ClaimAnswer> claim(Claim claim, Duration timeout) {
			return single(Kind.CLAIM, claim.id(), true, timeout, (log, now) -> log.claim(claim, now));
		}

		static Request<Boolean> renewal(LeaseId id, Duration timeout) {
			return single(Kind.RENEW, id, true, timeout, (log, now) -> log.renew(id, now));
		}

		static Request<Boolean> release(LeaseId id, Duration timeout) {
			return single(Kind.RELEASE, id, false, timeout, (log, now) -> log.release(id));
		}

		static Request<Boolean> releaseProved(LeaseId id, long fence, Duration timeout) {
			return single(Kind.RELEASE, id, true, timeout, (log, now) -> log.releaseGrant(id, fence));
		}

		static Request<Integer> releases(List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.RELEASE, ids, true, timeout, (log, now) -> count(ids, log::release));
		}

		static Request<Integer> keeps(Map<LeaseId, Duration> keptFor, List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.KEEP, ids, true, timeout,
					(log, now) -> count(ids, (id) -> log.expire(id, Objects.requireNonNull(keptFor.get(id)), now)));
		}

		private static int count(List<LeaseId> ids, Predicate<LeaseId> statement) {
			return (int) ids.stream().filter(statement).count();
		}

		// The rest of it without those that are refused; nothing of a single one
		@SuppressWarnings("unchecked")
		Request<T> without(List<LeaseId> refused) {
			List<LeaseId> others = this.ids.stream().filter((id) -> !refused.contains(id)).toList();
			return (Request<T>) switch (this.kind) {
				case REFRESH -> refresh(others, this.timeout);
				case LEAVE -> leave(others, this.timeout);
				case RELEASE -> releases(others, this.timeout);
				default -> renewal(others, this.timeout);
			};
		}

		static Request<Boolean> keep(LeaseId id, Duration keptFor, Duration timeout) {
			return single(Kind.KEEP, id, true, timeout, (log, now) -> log.expire(id, keptFor, now));
		}

		private static <T> Request<T> single(Kind kind, LeaseId id, boolean majority, Duration timeout,
				BiFunction<StoreLog, Instant, T> execution) {
			return new Request<>(kind, List.of(id), majority, timeout, execution);
		}

		// The answer is how many are there
		static Request<Integer> renewal(List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.RENEW, ids, true, timeout, (log, now) -> count(ids, (id) -> log.renew(id, now)));
		}

		static Request<List<StoredLock>> refresh(List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.REFRESH, ids, false, timeout, (log, now) -> {
				ids.forEach((id) -> log.refresh(id, now));
				return looks(ids, log, now);
			});
		}

		static Request<List<StoredLock>> leave(List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.LEAVE, ids, false, timeout, (log, now) -> {
				ids.forEach(log::leave);
				return List.of();
			});
		}

		static Request<List<StoredLock>> look(List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.LOOK, ids, false, timeout, (log, now) -> looks(ids, log, now));
		}

		// As a whole, as those look who hold
		static Request<List<StoredLock>> find(List<LeaseId> ids, Duration timeout) {
			return new Request<>(Kind.LOOK, ids, false, timeout,
					(log, now) -> ids.stream().map((id) -> log.look(id.key(), now)).toList());
		}

		private static List<StoredLock> looks(List<LeaseId> ids, StoreLog log, Instant now) {
			return ids.stream().map((id) -> log.look(id, now)).toList();
		}

		// The part of it that is executed before a statement that is blocked
		Request<?> upTo(int index) {
			List<LeaseId> before = this.ids.subList(0, index);
			return switch (this.kind) {
				case REFRESH -> refresh(before, this.timeout);
				case LEAVE -> leave(before, this.timeout);
				case RELEASE -> releases(before, this.timeout);
				default -> renewal(before, this.timeout);
			};
		}

		LeaseId id() {
			return this.ids.get(0);
		}

	}

	enum Kind {

		CLAIM, RENEW, RELEASE, KEEP, REFRESH, LOOK, LEAVE

	}

}
