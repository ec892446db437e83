package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.HeldLock;
import io.mongolock.store.KeyText;

/**
 * Notices handles that were garbage-collected without being closed, and decides what
 * happens to their locks. It works on a daemon thread, which exists while handles are
 * open. The data that it keeps of a handle must not refer to the handle. Thread-safe: the
 * monitor guards the thread.
 */
final class HandleLeaks {

	private static final Log logger = LogFactory.getLog(HandleLeaks.class);

	private static final Set<String> OURS = Set.of("io.mongolock", "io.mongolock.client", "io.mongolock.concurrent",
			"io.mongolock.interceptor", "io.mongolock.documents");

	private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	/**
	 * How long the thread waits for further handles, so that a loop of short holds needs
	 * only one thread.
	 */
	private static final long LINGER_MILLIS = 1000;

	private final LeakDetection mode;

	private final Consumer<HeldLock> releases;

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	private final Set<Leak> watched = ConcurrentHashMap.newKeySet();

	private final ReferenceQueue<LeaseHandle> collected = new ReferenceQueue<>();

	private final ThreadFactory threads;

	private @Nullable Thread thread;

	/**
	 * Create a detection.
	 * @param threads creates the thread that watches, which exists while there is
	 * something to watch
	 * @param releases releases a lock; must not block
	 */
	HandleLeaks(LeakDetection mode, ThreadFactory threads, Consumer<HeldLock> releases) {
		this.mode = mode;
		this.threads = threads;
		this.releases = releases;
	}

	/**
	 * Find the place that the current call comes from. This walks only a few frames, and
	 * resolves no line number.
	 * @return the first frame outside of this library and of proxies; {@code null} if
	 * there is none, or if leaks are not detected
	 */
	@Nullable StackFrame caller() {
		return (this.mode == LeakDetection.OFF) ? null
				: WALKER.walk((frames) -> frames.filter(HandleLeaks::isUsers).findFirst().orElse(null));
	}

	/**
	 * Watch a handle until it is closed.
	 * @param handle the handle, which no caller has yet
	 */
	LeaseHandle watch(LeaseHandle handle, @Nullable StackFrame caller) {
		if (this.mode != LeakDetection.OFF) {
			Leak leak = new Leak(handle, this.collected, caller);
			this.watched.add(leak);
			handle.onClose(() -> this.watched.remove(leak));
			// A stop takes the locks away before it clears the handles, so it also clears
			// a handle whose lock is still held
			if (handle.isHeld()) {
				startThread();
			}
			else {
				this.watched.remove(leak);
			}
		}
		return handle;
	}

	/**
	 * Stop watching all handles.
	 */
	synchronized void stop() {
		this.watched.clear();
		if (this.thread != null) {
			this.thread.interrupt();
		}
	}

	private synchronized void startThread() {
		if (this.thread != null) {
			return;
		}
		try {
			Thread starting = this.threads.newThread(this::watch);
			starting.start();
			this.thread = starting;
		}
		catch (RuntimeException | Error ex) {
			// The caller still gets its lock, and the next handle tries again
			logger.debug("Could not start a thread that watches handles", ex);
		}
	}

	private void watch() {
		// Wait first, because a short hold is over by the time the thread runs
		do {
			try {
				// Either this thread or the close of the handle removes the leak
				if (this.collected.remove(LINGER_MILLIS) instanceof Leak leak && this.watched.remove(leak)) {
					leaked(leak.heldLock, leak.caller);
				}
			}
			catch (InterruptedException ex) {
				logger.debug("The thread that watches handles ends, because no handle is left to watch", ex);
			}
			catch (RuntimeException | Error ex) {
				logger.error("An error occurred while the client looked for handles that were not closed. The client "
						+ "goes on", ex);
			}
		}
		while (!endIfIdle());
	}

	private synchronized boolean endIfIdle() {
		boolean idle = this.watched.isEmpty();
		if (idle) {
			this.thread = null;
		}
		return idle;
	}

	private void leaked(HeldLock heldLock, @Nullable StackFrame caller) {
		// The place is unknown if the thread only acquires a lock and then ends
		String place = (caller != null) ? " acquired at " + caller.toStackTraceElement() : "";
		String what = "A handle of lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence() + ")"
				+ place + " was garbage-collected without being closed";
		boolean released = heldLock.lossReason() == null && heldLock.state().hasEnded();
		if (!released && this.reported.add(place)) {
			logger.warn(what + ". The lock " + fate(heldLock)
					+ " Close every handle, for example with try-with-resources, or use execute or executeAsync. "
					+ "Further handles " + ((caller != null) ? "from the same place" : "from unknown places")
					+ " are logged only at DEBUG.");
		}
		else {
			logger.debug(what);
		}
		if (this.mode == LeakDetection.RELEASE) {
			this.releases.accept(heldLock);
		}
	}

	private String fate(HeldLock heldLock) {
		if (heldLock.lossReason() != null) {
			return "was lost before.";
		}
		if (this.mode == LeakDetection.RELEASE) {
			return "is released now.";
		}
		String kept = (heldLock.terms().autoRenew()) ? "is renewed until this application stops."
				: "stays taken until its lease runs out.";
		return kept + " With mongo-lock.leak-detection=release, the lock would be released now.";
	}

	private static boolean isUsers(StackFrame frame) {
		Class<?> type = frame.getDeclaringClass();
		String name = type.getName();
		boolean proxy = Proxy.isProxyClass(type) || name.contains("$$") || name.startsWith("org.springframework.aop.");
		return !proxy && !OURS.contains(type.getPackageName()) && !name.startsWith("java.") && !name.startsWith("jdk.");
	}

	/**
	 * The data that are left of a collected handle.
	 */
	private static final class Leak extends PhantomReference<LeaseHandle> {

		private final HeldLock heldLock;

		private final @Nullable StackFrame caller;

		private Leak(LeaseHandle handle, ReferenceQueue<LeaseHandle> collected, @Nullable StackFrame caller) {
			super(handle, collected);
			this.heldLock = handle.heldLock();
			this.caller = caller;
		}

	}

}
