package io.mongolock.faults.harness.history;

/**
 * A holder that was told of a loss, and the next grant of its key.
 *
 * @param key the key
 * @param fence the number of the grant that was lost
 * @param nextFence the number of the next one
 * @param leadNanos how long before the next grant it was told; negative if after
 * @param stalledNanos how long its process did not run, from the grant until it was told
 */
public record Warning(String key, long fence, long nextFence, long leadNanos, long stalledNanos) {

	boolean isTooLate() {
		return -this.leadNanos > this.stalledNanos;
	}

}
