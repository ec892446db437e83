package io.mongolock;

/**
 * Who asked for a lock, for diagnostics to read; never compared to decide anything.
 *
 * @param application the name of the application, empty if it has none
 * @param instance tells the instances of one application apart
 * @param host the name of the machine, empty if unknown
 * @param pid the process id
 * @param thread the name of the thread that asked
 */
public record LockOwner(String application, String instance, String host, long pid, String thread) {

	/**
	 * The same owner on another thread.
	 * @param thread the name of that thread
	 * @return a copy with that thread
	 */
	public LockOwner onThread(String thread) {
		return new LockOwner(this.application, this.instance, this.host, this.pid, thread);
	}

	@Override
	public String toString() {
		return ((this.application.isEmpty()) ? "" : this.application + " ") + this.instance + " (host " + this.host
				+ ", pid " + this.pid + ", thread " + this.thread + ")";
	}

}
