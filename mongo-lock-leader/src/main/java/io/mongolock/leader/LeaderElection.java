package io.mongolock.leader;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;

/**
 * Elects one leader for a role among all instances that have a bean of this type for the
 * role. The holder of the role's lock leads, and the others wait in its queue, without a
 * thread. An instance stands for the role from the start of the application to its end,
 * and stands again after each term. The election keeps the JVM up until it is stopped, as
 * a web server does. Thread-safe.
 * <p>
 * The lock belongs to {@code LockRequest.of("leader", role)}: its key consists of
 * {@code leader:} and the role, and the settings of the name {@code leader} apply.
 * <p>
 * A leader that can no longer renew its lock steps down at its own deadline, before
 * another can lead. {@link #isLeader()} asks the clock in each call, and
 * {@link LeaderElectionEvent.Revoked} is published.
 * <p>
 * The events of a term are published in order, one after the other. {@link #isLeader()}
 * does not wait for listeners: work may begin while they hear of the term.
 */
public final class LeaderElection implements SmartLifecycle, DisposableBean {

	/**
	 * The name of the locks of all roles.
	 */
	public static final String NAME = "leader";

	private static final Log logger = LogFactory.getLog(LeaderElection.class);

	private static final Duration PAUSE = Duration.ofSeconds(5);

	/** The longest time that settings allow: 27 years. */
	private static final Duration WITHOUT_END = Duration.ofDays(10_000);

	private final String role;

	private final LockOperations locks;

	private final ApplicationEventPublisher events;

	private final LockRequest request;

	private final Duration pause;

	private final Executor starter;

	/** Guarded by the monitor, like the claim and the fields of a leadership. */
	private boolean running;

	private boolean ready = true;

	private volatile @Nullable Thread keepAlive;

	private @Nullable CompletableFuture<LockHandle> claim;

	private volatile @Nullable Leadership leadership;

	/** The leadership whose lock is not given back yet; it may be over. */
	private @Nullable Leadership unreleased;

	/**
	 * Create a candidate, which stands once it is started.
	 * @param role what the leader does, for example {@code reports}
	 * @param locks grants the lock of the role
	 * @param events is notified when this instance begins to lead, and when it no longer
	 * leads
	 * @throws IllegalArgumentException if the role is blank or too long for a key
	 */
	public LeaderElection(String role, LockOperations locks, ApplicationEventPublisher events) {
		this(role, locks, events, PAUSE, LeaderElection::onThreadOfItsOwn);
	}

	LeaderElection(String role, LockOperations locks, ApplicationEventPublisher events, Duration pause,
			Executor starter) {
		this.pause = pause;
		this.starter = starter;
		this.role = role;
		this.locks = locks;
		this.events = events;
		LockSettings settings = LockSettings.builder()
			.waitTimeout(WITHOUT_END)
			.autoRenew(true)
			.limit(1)
			.linger(Duration.ZERO)
			.build();
		this.request = LockRequest.builder(NAME, role).settings(settings).onLost(OnLost.IGNORE).build();
	}

	/**
	 * The task of the leader.
	 * @return the role
	 */
	public String role() {
		return this.role;
	}

	/**
	 * Whether this instance leads now, by its clock at the time of the call.
	 * @return {@code false} from the deadline of the lock on, or once it was lost or
	 * given up
	 */
	public boolean isLeader() {
		return term().isPresent();
	}

	/**
	 * The number of the current term, higher than every term before: the fence of the
	 * lock.
	 * @return the term, empty if this instance does not lead
	 */
	public OptionalLong term() {
		Leadership current = this.leadership;
		return (current != null && current.handle.isHeld()) ? OptionalLong.of(current.handle.fence())
				: OptionalLong.empty();
	}

	/**
	 * Do work if this instance leads; otherwise do nothing. The work runs under the lock
	 * of the role ({@link LockContext}). If this instance steps down meanwhile, the lock
	 * is given back only when the work has ended, so no other instance leads beside it.
	 * The end of the application waits for that, for as long as a phase of its shutdown
	 * may take. If the lock is lost, {@link #isLeader()} says so. A transaction that
	 * began before the work is not part of it.
	 * @param <E> what the work throws
	 * @param work the work
	 * @return whether it was done
	 * @throws E what the work threw
	 */
	@SuppressWarnings("try") // the resource is only there to be closed
	public <E extends Throwable> boolean ifLeader(Work<E> work) throws E {
		Leadership current = enter();
		if (current == null) {
			return false;
		}
		try (LockContext.Scope scope = LockContext.enter(current.handle)) {
			work.run();
			return true;
		}
		finally {
			leave(current);
		}
	}

	/**
	 * Give up the lead, if this instance has it, and stand again behind the waiting
	 * instances. Inside a transaction, the lock is given back when the transaction has
	 * ended.
	 */
	public void stepDown() {
		Leadership current = this.leadership;
		if (current != null) {
			end(current);
		}
	}

	/**
	 * Note whether the instance is ready. It neither stands nor leads while it is not.
	 */
	void ready(boolean ready) {
		CompletableFuture<LockHandle> waiting = null;
		synchronized (this) {
			this.ready = ready;
			if (!ready) {
				waiting = this.claim;
				this.claim = null;
			}
		}
		if (waiting != null) {
			waiting.cancel(false);
		}
		if (ready) {
			this.starter.execute(this::stand);
		}
		else {
			stepDown();
		}
	}

	@Override
	public void start() {
		synchronized (this) {
			if (this.running) {
				return;
			}
			this.running = true;
			Thread thread = new Thread(this::keepAlive, "mongo-lock-leader-keep-alive");
			thread.setDaemon(false);
			this.keepAlive = thread;
			thread.start();
		}
		this.starter.execute(this::stand);
	}

	// All other threads are daemons, so the JVM would end when its main method returns
	private void keepAlive() {
		while (this.keepAlive == Thread.currentThread()) {
			LockSupport.park(this);
		}
	}

	// A listener that takes long must not hold up the start of the application
	private static void onThreadOfItsOwn(Runnable task) {
		Thread thread = new Thread(task, "mongo-lock-leader");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void stop() {
		CompletableFuture<LockHandle> waiting;
		Leadership last;
		synchronized (this) {
			this.running = false;
			Thread thread = this.keepAlive;
			this.keepAlive = null;
			LockSupport.unpark(thread);
			waiting = this.claim;
			this.claim = null;
			last = this.unreleased;
		}
		if (waiting != null) {
			waiting.cancel(false);
		}
		if (last != null) {
			end(last);
			// Otherwise listeners would hear of the end after they are destroyed
			last.awaitRevoked(this.pause);
		}
	}

	/**
	 * Stop as {@link #stop()} does.
	 * @param callback run when the work that has begun has ended and the lock is given
	 * back. If there is no such work, or this thread does the work, the callback is run
	 * at once
	 */
	@Override
	public void stop(Runnable callback) {
		stop();
		Leadership last;
		boolean working;
		synchronized (this) {
			last = this.unreleased;
			// A slow listener may still be handling the event of its end
			working = last != null && (last.over || last.calls > 0);
		}
		if (last != null && working && LockContext.find((lock) -> lock == last.handle).isEmpty()) {
			last.released.thenRun(callback);
		}
		else {
			callback.run();
		}
	}

	/**
	 * Stop as {@link #stop()} does. If the start of the application fails after this
	 * election was started, no other method stops it.
	 */
	@Override
	public void destroy() {
		stop();
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

	@Override
	public String toString() {
		OptionalLong term = term();
		return "election of '" + this.role + "' (" + (term.isPresent() ? "leads, term " + term.getAsLong() : "waits")
				+ ")";
	}

	// First, because a failing listener ends the publication of an event
	@EventListener
	@Order(Ordered.HIGHEST_PRECEDENCE)
	void onLost(LockApplicationEvent.Lost event) {
		endTermOf(event.lock());
	}

	@EventListener
	@Order(Ordered.HIGHEST_PRECEDENCE)
	void onReleaseRequested(LockApplicationEvent.ReleaseRequested event) {
		endTermOf(event.lock());
	}

	private void endTermOf(LockHandle lock) {
		Leadership current = this.leadership;
		if (current != null && lock.key().equals(this.request.key()) && lock.fence() == current.handle.fence()) {
			end(current);
		}
	}

	private void stand() {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			// The transaction keeps a lock that was closed in it. A claim in it would
			// share this lock, and so the same term
			CompletableFuture.runAsync(this::stand, this.starter);
			return;
		}
		CompletableFuture<LockHandle> mine;
		synchronized (this) {
			if (!this.running || !this.ready || this.claim != null || this.unreleased != null) {
				return;
			}
			mine = claim();
			this.claim = mine;
		}
		mine.whenComplete((handle, failure) -> {
			if (failure == null) {
				begin(mine, handle);
			}
			else {
				standLater(mine, failure);
			}
		});
	}

	private CompletableFuture<LockHandle> claim() {
		try {
			return this.locks.acquireAsync(this.request);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void begin(CompletableFuture<LockHandle> mine, LockHandle handle) {
		Leadership begun = new Leadership(handle);
		boolean wanted;
		synchronized (this) {
			wanted = this.claim == mine;
			if (wanted) {
				this.claim = null;
				this.leadership = begun;
				this.unreleased = begun;
			}
		}
		if (!wanted) {
			handle.close();
		}
		else if (!handle.isHeld()) {
			// Lost, perhaps before this election could hear of it
			end(begun);
		}
		else if (announcing(begun)) {
			try {
				lookLater(begun);
				publish(new LeaderElectionEvent.Granted(this, handle.fence()));
			}
			finally {
				if (!announced(begun)) {
					revoke(begun);
				}
			}
		}
	}

	// Looks again and again, because a loss may not be announced here: the publisher of
	// lock events may be in another context
	private void lookLater(Leadership current) {
		later(() -> {
			if (!current.handle.isHeld()) {
				this.starter.execute(() -> end(current));
			}
			else if (this.leadership == current) {
				lookLater(current);
			}
		});
	}

	private void standLater(CompletableFuture<LockHandle> mine, Throwable failure) {
		synchronized (this) {
			if (this.claim != mine) {
				return;
			}
			this.claim = null;
		}
		logger.warn("Could not claim the role '" + this.role + "'. This instance tries again in "
				+ this.pause.toSeconds() + " s", failure);
		later(() -> this.starter.execute(this::stand));
	}

	// Runs the task on the timer's thread, so that no busy pool delays it. The task must
	// not block
	private void later(Runnable task) {
		CompletableFuture.delayedExecutor(this.pause.toMillis(), TimeUnit.MILLISECONDS, Runnable::run).execute(task);
	}

	private synchronized boolean announcing(Leadership begun) {
		begun.announcing = this.leadership == begun;
		begun.publisher = Thread.currentThread();
		return begun.announcing;
	}

	/** Whether the leadership outlasted its announcement. */
	private synchronized boolean announced(Leadership begun) {
		begun.announcing = false;
		begun.publisher = null;
		begun.announced = true;
		return this.leadership == begun;
	}

	private void end(Leadership ended) {
		boolean announced;
		synchronized (this) {
			if (this.leadership != ended) {
				return;
			}
			this.leadership = null;
			if (ended.announcing) {
				// The thread that publishes the beginning publishes the end after it
				return;
			}
			announced = ended.announced;
		}
		if (announced) {
			revoke(ended);
		}
		else {
			finish(ended);
		}
	}

	private void revoke(Leadership ended) {
		ended.publisher = Thread.currentThread();
		try {
			publish(new LeaderElectionEvent.Revoked(this, ended.handle.fence()));
		}
		finally {
			finish(ended);
		}
	}

	private void finish(Leadership ended) {
		ended.revoked.countDown();
		boolean idle;
		synchronized (this) {
			ended.over = true;
			idle = ended.calls == 0;
		}
		if (idle) {
			release(ended);
		}
	}

	private synchronized @Nullable Leadership enter() {
		Leadership current = this.leadership;
		if (current == null || !current.handle.isHeld()) {
			return null;
		}
		current.calls++;
		return current;
	}

	private void leave(Leadership left) {
		boolean last;
		synchronized (this) {
			left.calls--;
			last = left.over && left.calls == 0;
		}
		if (last) {
			release(left);
		}
	}

	private void release(Leadership ended) {
		try {
			close(ended);
		}
		finally {
			stand();
		}
	}

	private void close(Leadership ended) {
		try {
			ended.handle.close();
		}
		finally {
			synchronized (this) {
				this.unreleased = null;
			}
			ended.released.complete(null);
		}
	}

	// An exception of a listener must not keep the lock
	private void publish(LeaderElectionEvent event) {
		try {
			this.events.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("A listener failed on " + event, ex);
		}
		catch (Error ex) {
			logger.error("A listener failed on " + event, ex);
		}
	}

	/**
	 * Work that the leader does.
	 *
	 * @param <E> what it throws
	 */
	@FunctionalInterface
	public interface Work<E extends Throwable> {

		/**
		 * Do the work.
		 * @throws E if it failed
		 */
		void run() throws E;

	}

	/** A term of this instance. Guarded by the monitor of the election. */
	private static final class Leadership {

		private final LockHandle handle;

		private final CountDownLatch revoked = new CountDownLatch(1);

		private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();

		private int calls;

		/** The thread that is now publishing its beginning or its end. */
		private volatile @Nullable Thread publisher;

		private boolean announcing;

		private boolean announced;

		private boolean over;

		private Leadership(LockHandle handle) {
			this.handle = handle;
		}

		private void awaitRevoked(Duration atMost) {
			if (this.publisher == Thread.currentThread()) {
				// A listener of its beginning, or of its end, stops the election
				return;
			}
			try {
				this.revoked.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
