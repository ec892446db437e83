/**
 * One leader among the instances of an application: {@link LeaderElection} is a role and
 * whether this instance leads, {@link LeaderElectionEvent} is heard when that changes,
 * and {@link LeaderOnly} guards methods.
 */
@NullMarked
package io.mongolock.leader;

import org.jspecify.annotations.NullMarked;
