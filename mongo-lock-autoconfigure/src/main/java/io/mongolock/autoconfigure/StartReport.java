package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.context.SmartLifecycle;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.DurationPrinter;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.store.mongo.LockLocation;
import io.mongolock.store.mongo.Notifications;
import io.mongolock.store.mongo.TtlIndexInitializer.Mode;

/**
 * Logs one line at startup with the collection of the locks, the server that answered,
 * the number of locked methods and the settings. Then warns of missing rights, and of
 * calls that no proxy sees. Waits for the server on a thread of its own, which ends after
 * these reports or with the application. Thread-safe: the monitor guards the thread.
 */
final class StartReport implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(StartReport.class);

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final LockLocation location;

	private final ConfiguredSettings configured;

	private final MongoLockProperties properties;

	private final LockMethodVerifier methods;

	private final Supplier<List<LockLocation>> others;

	private @Nullable Thread thread;

	/**
	 * Create a new report.
	 * @param methods knows all locked methods once all beans exist
	 * @param others the other collections that the application reads and writes, known
	 * once all beans exist
	 */
	StartReport(LockLocation location, ConfiguredSettings configured, MongoLockProperties properties,
			LockMethodVerifier methods, Supplier<List<LockLocation>> others) {
		this.others = others;
		this.location = location;
		this.configured = configured;
		this.properties = properties;
		this.methods = methods;
	}

	@Override
	public synchronized void start() {
		if (this.thread == null) {
			// Resolve on this thread, like the store, because a factory may choose the
			// database by the thread
			List<LockLocation> others = this.others.get();
			this.thread = new Thread(() -> report(others), "mongo-lock-start");
			this.thread.setDaemon(true);
			this.thread.start();
		}
	}

	@Override
	public synchronized void stop() {
		if (this.thread != null) {
			this.thread.interrupt();
			this.thread = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.thread != null;
	}

	private void report(List<LockLocation> others) {
		String line = "Locks are kept in " + this.location.namespace() + " (" + server() + "); " + methods() + "; "
				+ settings();
		if (Thread.currentThread() == running()) {
			logger.info(line);
			checkPrivileges(others);
			this.methods.warnOfSelfCalls();
		}
	}

	private synchronized @Nullable Thread running() {
		return this.thread;
	}

	private String server() {
		try {
			return this.location.askServer(TIMEOUT);
		}
		catch (LockStoreException ex) {
			// A refusal gets here only if it concerns all requests
			return ((ex.getOutcome() == Outcome.REFUSED)
					? "MongoDB refuses this application, and no lock is granted until MongoDB accepts it: "
					: "MongoDB has not answered yet: ") + ex.getMessage();
		}
	}

	private void checkPrivileges(List<LockLocation> others) {
		try {
			warn(this.location.missingPrivileges(this.properties.ttlIndex().mode(), this.properties.notifications(),
					TIMEOUT));
			for (LockLocation other : others) {
				warn(other.missingPrivileges(Mode.NONE, Notifications.OFF, TIMEOUT));
			}
		}
		catch (LockStoreException ex) {
			// This failure was reported, or the next request will report it
			logger.debug("It is unknown whether rights are missing in MongoDB", ex);
		}
	}

	private static void warn(Optional<String> missing) {
		if (missing.isPresent()) {
			logger.warn("Rights are missing in MongoDB: " + missing.get());
		}
	}

	private String methods() {
		int count = this.methods.guardedMethods();
		return (count != 1) ? count + " methods are guarded" : "1 method is guarded";
	}

	private String settings() {
		StringJoiner settings = new StringJoiner(", ");
		for (Map.Entry<String, ?> term : this.configured.terms().toText().entrySet()) {
			settings.add(DataObjectPropertyName.toDashedForm(term.getKey()) + "=" + term.getValue());
		}
		MongoLockProperties.HandOver handOver = this.properties.handOver();
		settings.add("hand-over=" + text(handOver.maxTime()) + "/" + handOver.maxCount());
		settings.add("place-ttl=" + text(this.properties.placeTtl()));
		settings.add("max-places=" + this.properties.maxPlaces());
		settings.add("notifications=" + text(this.properties.notifications()));
		MongoLockProperties.TtlIndex index = this.properties.ttlIndex();
		settings.add("ttl-index=" + text(index.mode()) + "/" + text(index.retention()));
		String own = String.join(", ", new TreeSet<>(this.configured.byName().keySet()));
		return settings + ((own.isEmpty()) ? "" : "; names with their own settings: " + own);
	}

	private static String text(Enum<?> choice) {
		return choice.name().toLowerCase(Locale.ROOT);
	}

	private static String text(Duration duration) {
		return DurationPrinter.print(duration);
	}

}
