package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.support.GenericApplicationContext;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.leader.LeaderElection;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.mongo.ServerClockWatch;

/**
 * Stands for a role, and writes down again and again that it leads, as the election says.
 * Thread-safe.
 */
public final class Candidate implements LockListener {

	/** The role, as a lock. */
	public static final String KEY = "leader:fleet";

	private static final String ROLE = "fleet";

	private static final long PAUSE = 5_000_000;

	private final GenericApplicationContext context = new GenericApplicationContext();

	private final CountDownLatch watching = new CountDownLatch(1);

	private final HistoryWriter history;

	private volatile @Nullable LeaderElection election;

	private volatile boolean over;

	/** Owned by the thread that watches, as what was last seen. */
	private @Nullable Entered entered;

	private long seenAt;

	private volatile long term;

	// Writes down all losses that it hears of
	public Candidate(HistoryWriter history) {
		this.history = history;
		AnnotationConfigUtils.registerAnnotationConfigProcessors(this.context);
	}

	public static Candidate standing(String connectionString, Duration ttl, String histories) {
		HistoryWriter history = new HistoryWriter(Path.of(histories));
		history.writeStalls();
		Candidate candidate = new Candidate(history);
		ServerClockWatch watch = new ServerClockWatch(LockClock.system(), ttl);
		candidate.stand(HarnessClient.locks(HarnessClient.store(HarnessClient.connect(connectionString, watch), watch),
				HarnessClient.settings(ttl, Harness.LONG), HandOver.DEFAULT, Duration.ofSeconds(3), candidate));
		return candidate;
	}

	// On a client that this listens to
	public void stand(LockTemplate locks) {
		this.context.registerBean(LeaderElection.class, () -> new LeaderElection(ROLE, locks, this.context));
		this.context.refresh();
		this.election = this.context.getBean(LeaderElection.class);
		Daemon.start("candidate", this::watch);
	}

	// Of which this was last seen to be the leader, or zero
	public long term() {
		return this.term;
	}

	public boolean isLeader() {
		LeaderElection election = this.election;
		return election != null && election.isLeader();
	}

	// Leads no more
	public boolean finish() throws InterruptedException {
		this.over = true;
		boolean ended = this.watching.await(Harness.LONG.toMillis(), TimeUnit.MILLISECONDS);
		this.context.close();
		return ended;
	}

	@Override
	public void onLost(LockHandle lock, LossReason reason) {
		this.history.write(new Lost(lock.key(), lock.fence(), System.nanoTime()));
		publish(new LockApplicationEvent.Lost(lock, reason));
	}

	@Override
	public void onReleaseRequested(LockHandle lock, ReleaseRequest request) {
		publish(new LockApplicationEvent.ReleaseRequested(lock, request));
	}

	private void publish(LockApplicationEvent event) {
		if (this.context.isActive()) {
			this.context.publishEvent(event);
		}
	}

	private void watch() {
		LeaderElection election = this.election;
		while (election != null && !this.over) {
			// Read before: it led then, however long this stands still after
			long at = System.nanoTime();
			if (!election.ifLeader(() -> leads(LockContext.current(), at))) {
				leave(Outcome.LOST);
			}
			LockSupport.parkNanos(PAUSE);
		}
		leave(Outcome.COMPLETED);
		this.watching.countDown();
	}

	private void leads(LockHandle lock, long at) {
		Entered last = this.entered;
		if (last != null && last.fence() != lock.fence()) {
			leave(Outcome.LOST);
			last = null;
		}
		if (last == null) {
			// Before that look, as for all sections
			long now = System.nanoTime();
			if (!lock.isHeld()) {
				return;
			}
			last = new Entered(KEY, 1, lock.fence(), ((LeaseControl) lock).lease().leaseToken(), HistoryWriter.PROCESS,
					Thread.currentThread().getName(), at, now);
			this.history.write(last);
			this.entered = last;
			this.term = lock.fence();
			this.seenAt = last.nanos();
		}
		else {
			this.history.write(new Checked(KEY, lock.fence(), at));
			this.seenAt = at;
		}
		// For the case that it is killed
		this.history.write(new Left(last, Outcome.DIED, this.seenAt));
	}

	private void leave(Outcome outcome) {
		Entered last = this.entered;
		if (last != null) {
			this.history.write(new Left(last, outcome, this.seenAt));
			this.entered = null;
		}
	}

}
