/**
 * One leader among the instances of an application. {@link LeaderElection} stands for a
 * role, and knows whether this instance leads. A {@link LeaderElectionEvent} is published
 * when that changes. {@link LeaderOnly} guards methods, by
 * {@link LeaderOnlyPostProcessor}. {@link LeaderElections} has all elections of an
 * application for {@link LeadersEndpoint}. {@link IntegrationLeaderEvents} publishes them
 * as events of Spring Integration. {@link MongoLockLeaderProperties} are the settings.
 * Two auto-configurations wire all of this.
 */
@NullMarked
package io.mongolock.leader;

import org.jspecify.annotations.NullMarked;
