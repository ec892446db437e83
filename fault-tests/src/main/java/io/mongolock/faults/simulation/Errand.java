package io.mongolock.faults.simulation;

import io.mongolock.LockRequest;
import io.mongolock.core.ResolvedLockSettings;

/**
 * What a worker wants a lock for.
 *
 * @param request the lock
 * @param terms how to wait for it and hold it
 * @param token the token of the claim
 * @param acts how often to act under it
 * @param rest the longest time between two acts
 * @param last whether it comes for what others left, and waits as long as it takes
 */
record Errand(LockRequest request, ResolvedLockSettings terms, String token, int acts, long rest, boolean last) {

}
