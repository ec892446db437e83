package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.lang.ref.Cleaner;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.core.HeldLock;
import io.mongolock.store.KeyText;

/**
 * Notices handles that were garbage-collected without being closed. What it keeps of a
 * handle must not reach it. Thread-safe.
 */
final class HandleLeaks {

	private static final Log logger = LogFactory.getLog(HandleLeaks.class);

	private static final Set<String> OURS = Set.of("io.mongolock", "io.mongolock.client", "io.mongolock.interceptor");

	private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

	private final LeakDetection mode;

	private final Consumer<HeldLock> releases;

	private final Set<String> told = ConcurrentHashMap.newKeySet();

	/** The thread of the cleaner starts with the first handle. */
	private volatile @Nullable Cleaner cleaner;

	/**
	 * Create a detection.
	 * @param mode what to do about leaks
	 * @param releases releases a lock; must not block
	 */
	HandleLeaks(LeakDetection mode, Consumer<HeldLock> releases) {
		this.mode = mode;
		this.releases = releases;
	}

	/**
	 * Where the current call comes from. Looks a few frames up, and resolves no line.
	 * @return the first frame outside of this library and of proxies; {@code null} if
	 * leaks are not looked for, or there is none
	 */
	@Nullable StackFrame caller() {
		return (this.mode == LeakDetection.OFF) ? null
				: WALKER.walk((frames) -> frames.filter(HandleLeaks::isUsers).findFirst().orElse(null));
	}

	/**
	 * Watch a handle until it is closed.
	 * @param handle the handle, not given to anyone yet
	 * @param caller where it was acquired
	 * @return the handle
	 */
	LeaseHandle watch(LeaseHandle handle, @Nullable StackFrame caller) {
		if (this.mode != LeakDetection.OFF) {
			Leak leak = new Leak(this, handle.heldLock(), handle.closed(), caller);
			handle.watchedBy(cleaner().register(handle, leak));
		}
		return handle;
	}

	private Cleaner cleaner() {
		Cleaner cleaner = this.cleaner;
		return (cleaner != null) ? cleaner : createCleaner();
	}

	private synchronized Cleaner createCleaner() {
		Cleaner cleaner = this.cleaner;
		if (cleaner == null) {
			cleaner = Cleaner.create(ClientThreads.daemons("mongo-lock-leaks"));
			this.cleaner = cleaner;
		}
		return cleaner;
	}

	private void leaked(HeldLock heldLock, @Nullable StackFrame caller) {
		String place = (caller != null) ? caller.toStackTraceElement().toString() : "an unknown place";
		String what = "A handle of lock '" + KeyText.printable(heldLock.key()) + "' (fence " + heldLock.fence()
				+ ") acquired at " + place + " was garbage-collected without being closed";
		if (this.told.add(place)) {
			logger.warn(what + ((this.mode == LeakDetection.RELEASE) ? "; the lock is released now."
					: "; the lock is renewed until this application stops, unless mongo-lock.leak-detection=release.")
					+ " Close every handle, for instance by try-with-resources, or use execute and executeAsync. "
					+ "Further handles of that place are not mentioned.");
		}
		else {
			logger.debug(what);
		}
		if (this.mode == LeakDetection.RELEASE) {
			this.releases.accept(heldLock);
		}
	}

	private static boolean isUsers(StackFrame frame) {
		Class<?> type = frame.getDeclaringClass();
		String name = type.getName();
		boolean proxy = Proxy.isProxyClass(type) || name.contains("$$") || name.startsWith("org.springframework.aop.");
		return !proxy && !OURS.contains(type.getPackageName()) && !name.startsWith("java.") && !name.startsWith("jdk.");
	}

	/**
	 * What is left of a handle.
	 *
	 * @param leaks who is notified
	 * @param heldLock the lock
	 * @param closed whether the handle was closed
	 * @param caller where it was acquired
	 */
	private record Leak(HandleLeaks leaks, HeldLock heldLock, AtomicBoolean closed,
			@Nullable StackFrame caller) implements Runnable {

		@Override
		public void run() {
			if (this.closed.compareAndSet(false, true)) {
				this.leaks.leaked(this.heldLock, this.caller);
			}
		}

	}

}
