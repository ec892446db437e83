package io.mongolock.test.server;

import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The logs of the servers of this JVM. They are kept if a test fails that may have used
 * the servers: while the servers run, or if the test itself ended them. Thread-safe.
 */
final class ServerLogs {

	/**
	 * Static, because JUnit creates the listener, and nothing else connects it with the
	 * servers.
	 */
	static final ServerLogs OF_THIS_JVM = new ServerLogs();

	private final Set<Path> running = ConcurrentHashMap.newKeySet();

	private final Set<Path> kept = ConcurrentHashMap.newKeySet();

	/**
	 * Folders of servers that the test on this thread has ended, while the test still
	 * runs.
	 */
	private final ThreadLocal<Queue<Path>> undecided = ThreadLocal.withInitial(ConcurrentLinkedQueue::new);

	private volatile boolean watched;

	void started(Path folder) {
		this.running.add(folder);
	}

	// Notes that a listener reports the ends of tests
	void watch() {
		this.watched = true;
	}

	void keep(Path folder) {
		if (this.kept.add(folder)) {
			TestOutput.say("Logs of the servers that the failure saw: " + folder);
		}
	}

	void ended(Path folder) {
		this.running.remove(folder);
		if (this.watched) {
			this.undecided.get().add(folder);
		}
		else {
			delete(folder);
		}
	}

	void testEnded(boolean failed) {
		Queue<Path> ended = this.undecided.get();
		if (failed) {
			this.running.forEach(this::keep);
			ended.forEach(this::keep);
		}
		ended.forEach(this::delete);
		this.undecided.remove();
	}

	// For the end of this JVM, after which no test ends any more
	void delete(Path folder) {
		if (!this.kept.contains(folder)) {
			Folders.delete(folder, (file) -> false);
		}
	}

}
