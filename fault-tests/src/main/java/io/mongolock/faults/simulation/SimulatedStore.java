package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredLock;

/**
 * The store as one process sees it, through the simulated network: a thread that asks
 * passes on the baton until it has an answer or gives up.
 */
final class SimulatedStore implements LockStore {

	private final SimulatedJvm jvm;

	private final SimulatedNetwork network;

	private final SimulatedServers servers;

	private final Batons batons;

	/** Of this process, if its store can tell of releases. */
	private @Nullable ReleaseListener listener;

	private final boolean live;

	SimulatedStore(SimulatedJvm jvm, SimulatedNetwork network, SimulatedServers servers, Batons batons) {
		this.jvm = jvm;
		this.network = network;
		this.servers = servers;
		this.batons = batons;
		this.live = jvm.timeline.chance(0.5);
		servers.watch(this::released);
	}

	@Override
	public String token(String random) {
		return this.jvm.begins();
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		LeaseHistory history = this.jvm.judge.histories.of(claim.id().leaseToken());
		if (history.grantAnswered) {
			history.askedAgainAt = this.jvm.timeline.now();
		}
		try {
			ClaimAnswer answer = ask(Request.claim(claim, timeout));
			history.grantAnswered |= answer.grantTo(claim.id().leaseToken()).isPresent();
			long starves = this.network.starves(history.terms.reliable());
			if (starves > 0) {
				history.starvedUntil = this.jvm.timeline.now() + starves;
				this.batons.sleep(starves);
			}
			return answer;
		}
		catch (LockStoreException ex) {
			history.unknown |= ex.getOutcome() == Outcome.UNKNOWN;
			throw ex;
		}
	}

	@Override
	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		Reply<Integer> reply = send(Request.renewal(leases, timeout));
		if (reply.failure == null) {
			int found = reply.answer();
			this.jvm.judge.count((found < leases.size()) ? Event.RENEWAL_REFUSED : Event.RENEWED);
			return RenewalAnswer.of(found);
		}
		if (reply.refused.isEmpty()) {
			throw reply.failure;
		}
		return new RenewalAnswer((reply.answer != null) ? reply.answer : 0, Set.copyOf(reply.refused), reply.failure);
	}

	@Override
	public ReleaseAnswer release(LeaseId lease, Duration timeout) {
		boolean ended = ask(Request.release(lease, timeout));
		return new ReleaseAnswer(ended, ended);
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return ask(Request.releases(leases, timeout));
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		int found = ask(Request.keeps(leases, List.copyOf(leases.keySet()), timeout));
		if (found == leases.size()) {
			leases.keySet().forEach((id) -> this.jvm.judge.kept(id, true));
		}
		return found;
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return ask(Request.releaseProved(lease, fence, timeout));
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		ask(Request.leave(claims, timeout));
		this.jvm.judge.count(Event.QUEUE_LEAVE);
		return claims.size();
	}

	@Override
	public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
		List<StoredLock> found = ask(Request.refresh(claims, timeout));
		this.jvm.judge.count(Event.QUEUE_REFRESH);
		return found;
	}

	@Override
	public List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		List<StoredLock> found = ask(Request.look(claims, timeout));
		this.jvm.judge.count(Event.QUEUE_LOOK);
		return found;
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return ask(Request.find(keys.stream().map((key) -> new LeaseId(key, "")).toList(), timeout));
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		return findAll(List.of(key), timeout).stream().findFirst();
	}

	@Override
	public List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public StoreServers servers() {
		return new StoreServers() {

			@Override
			public void onClockOff(BiConsumer<String, Duration> listener) {
				// never
			}

			@Override
			public void onPrimaryChange(Runnable listener) {
				SimulatedStore.this.servers.onElection(() -> SimulatedStore.this.jvm.start(listener));
			}

		};
	}

	// No lease is said to be gone that is still there, unless it was brought back
	void checkGone(LeaseHistory history) {
		LeaseHistory entry = history.entry;
		boolean mayBeBack = entry.unknown || entry.doubled || entry.releaseAsked;
		Violation.check(mayBeBack || !this.servers.log.holders(entry.id.key()).contains(entry.id.leaseToken()),
				Violation.Kind.OUTCOME, () -> history + " was said to be gone from the store, which has it");
	}

	// Forgets some, and invents others
	private void released(String key) {
		if (this.listener != null && !this.jvm.timeline.chance(0.1)) {
			this.jvm.after(this.jvm.timeline.between(1_000_000, 50_000_000), () -> this.jvm.start(() -> {
				ReleaseListener listener = this.listener;
				if (listener != null) {
					this.jvm.judge.count(Event.HINT);
					listener.released(key);
					if (this.jvm.timeline.chance(0.05)) {
						listener.missed();
					}
				}
			}));
		}
	}

	@Override
	public StoreSubscription watchReleases(ReleaseListener listener) {
		boolean live = this.live;
		this.listener = (live) ? listener : null;
		if (live) {
			this.jvm.start(listener::missed);
		}
		return new StoreSubscription() {

			@Override
			public boolean isLive() {
				return live;
			}

			@Override
			public void close() {
				SimulatedStore.this.listener = null;
			}

		};
	}

	private <T> T ask(Request<T> request) {
		Reply<T> reply = send(request);
		if (reply.failure != null) {
			throw reply.failure;
		}
		return reply.answer();
	}

	private <T> Reply<T> send(Request<T> request) {
		BatonThread self = Batons.current();
		this.jvm.sends(request);
		if (self.isInterrupted()) {
			throw failure(request, Outcome.UNKNOWN);
		}
		Reply<T> reply = new Reply<>();
		SimulatedCall<T> call = this.network.send(this.jvm, this.servers, request, (answer) -> {
			reply.answer = answer;
			end(reply, self);
		}, (outcome) -> {
			reply.outcome = outcome;
			end(reply, self);
		});
		while (!reply.over && !self.isInterrupted()) {
			this.batons.await(Long.MAX_VALUE);
		}
		boolean answered = reply.answer != null;
		if (!reply.over) {
			call.fail(Outcome.UNKNOWN);
		}
		if (answered || reply.outcome != null) {
			reply.refused = call.refused;
		}
		if (!answered) {
			this.jvm.fails(request.kind());
		}
		if (!answered || !call.refused.isEmpty()) {
			reply.failure = failure(request, (reply.outcome != null) ? reply.outcome : Outcome.UNKNOWN);
		}
		return reply;
	}

	private void end(Reply<?> reply, BatonThread thread) {
		reply.over = true;
		this.batons.wake(thread);
	}

	private static LockStoreException failure(Request<?> request, Outcome outcome) {
		return new LockStoreException(request.id().key(), outcome,
				"simulated: " + request.ids().stream().map(LeaseId::leaseToken).collect(Collectors.joining(", ")),
				null);
	}

	private static final class Reply<T> {

		private @Nullable T answer;

		private @Nullable Outcome outcome;

		private boolean over;

		/** What the caller learns of it, once it is over or given up. */
		private @Nullable LockStoreException failure;

		/** The leases that were refused, each by itself. */
		private List<LeaseId> refused = List.of();

		private T answer() {
			return Objects.requireNonNull(this.answer);
		}

	}

}
