/**
 * One leader among the instances of an application: {@link LeaderElection} is a role and
 * whether this instance leads, {@link LeaderElectionEvent} is heard when that changes.
 * {@link LeaderOnly} guards methods, by {@link LeaderOnlyPostProcessor}.
 * {@link LeaderElections} has all of an application for {@link LeadersEndpoint}, and
 * {@link IntegrationLeaderEvents} publishes them as Spring Integration does.
 * {@link MongoLockLeaderProperties} are the settings; two auto-configurations wire it.
 */
@NullMarked
package io.mongolock.leader;

import org.jspecify.annotations.NullMarked;
