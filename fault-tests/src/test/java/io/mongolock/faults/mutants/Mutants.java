package io.mongolock.faults.mutants;

import java.util.List;
import java.util.stream.Stream;

/**
 * The mutants, one entry each.
 */
final class Mutants {

	private static final String STORE = "io.mongolock.store.mongo.EmbeddedLockStoreTests";

	private static final String PARTITIONS = "io.mongolock.faults.rows.PartitionRowsTests";

	private static final String SPRING = "io.mongolock.faults.spring.";

	private Mutants() {
	}

	static Stream<Mutant> all() {
		return Stream.of(time(), claims(), renewals(), releases(), statements(), transactions(), shutdown())
			.flatMap(List::stream);
	}

	private static List<Mutant> time() {
		return List.of(
				new Mutant("no margin", "LockTerms.java", "return this.ttl.minus(this.margin);", "return this.ttl;",
						Judge.simulation("TOLD_LATE")),
				new Mutant("wall clock ignored", "renewal/Moment.java",
						"Math.max(this.nanos - earlier.nanos, (this.millis - earlier.millis) * 1_000_000)",
						"this.nanos - earlier.nanos", Judge.simulation("TOLD_LATE")),
				new Mutant("claim counted from the answer", "client/Claiming.java",
						"new Granted(grant.get(), requested,", "new Granted(grant.get(), now,",
						Judge.simulation("TOLD_LATE")),
				new Mutant("renewal counted from the answer", "renewal/RenewalSchedule.java",
						"lease.renewed(requested, now)", "lease.renewed(now, now)", Judge.simulation("TOLD_LATE")));
	}

	private static List<Mutant> claims() {
		return List.of(
				new Mutant("unknown claim not cleaned up", "client/Claiming.java",
						"this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;", "", Judge.simulation("GHOST")),
				new Mutant("clean-up ends with the first answer", "client/Cleanup.java",
						"(this.answered && !this.mayBeGrantedLate)", "this.answered", Judge.simulation("GHOST")),
				new Mutant("clean-up ends before a ttl has passed", "client/Cleanup.java", "this.fraction < 1",
						"this.fraction < 4", Judge.simulation("GHOST")),
				new Mutant("turn given twice", "client/LocalLines.java", "			this.waiters.remove(waiter);\n", "",
						Judge.simulation("PROGRESS")));
	}

	private static List<Mutant> renewals() {
		return List.of(
				new Mutant("late renewal accepted", "renewal/Lease.java",
						"if (later && this.state.phase() == Phase.HELD && isReliable(this.state, now)) {",
						"if (later && this.state.phase() == Phase.HELD) {", Judge.simulation("REVIVED")),
				new Mutant("renewal without match ignored", "renewal/RenewalSchedule.java",
						"if (found >= batch.size()) {", "if (found >= 0) {", Judge.simulation("TOLD_LATE")),
				new Mutant("unknown renewal taken as done", "renewal/RenewalSchedule.java",
						"				plan.underway = false;\n			}\n		}\n	}\n",
						"				plan.underway = false;\n				lease.renewed(now, now);\n			}\n		}\n	}\n",
						Judge.simulation("TOLD_LATE")),
				new Mutant("never renewed", "renewal/RenewalSchedule.java",
						"return this.lease.terms().autoRenew() && !this.underway;", "return false;",
						Judge.simulation("NEEDLESS")));
	}

	private static List<Mutant> releases() {
		return List.of(
				new Mutant("overrun without a proof", "client/Releasing.java", "return !this.held;", "return false;",
						Judge.simulation("OUTCOME")),
				new Mutant("release that found nothing taken for an overrun", "client/Releasing.java",
						"(ended) ? released : ReleaseOutcome.LOST",
						"(ended || !this.held) ? released : ReleaseOutcome.LOST", Judge.simulation("OUTCOME")));
	}

	private static List<Mutant> statements() {
		String store = "store/mongo/MongoLockStore.java";
		String statements = "store/mongo/LockStatements.java";
		return List.of(
				new Mutant("release of whoever holds", statements,
						"return pull(\"holders\", document(\"token\", string(token)));",
						"return document(\"$set\", document(\"holders\", new BsonArray()));",
						Judge.test(STORE, "aReleaseEndsNoOtherLease")),
				new Mutant("overrun proved by a later grant", statements, ".append(\"fence\", new BsonInt64(fence))",
						"", Judge.test(STORE, "aLaterGrantOfItsOwnTokenProvesNothing")),
				new Mutant("renewal of whoever holds", statements,
						"return document(\"_id\", string(id), \"holders.token\", string(token));",
						"return document(\"_id\", string(id), \"holders.0\", document(\"$exists\", BsonBoolean.TRUE));",
						Judge.test(STORE, "anotherTokenRenewsNothing")),
				new Mutant("renewal brings back", store,
						"locks.updateOne(filter, this.statements.renewal()).getMatchedCount() != 0",
						"locks.updateOne(filter, this.statements.renewal(), new com.mongodb.client.model.UpdateOptions().upsert(true)).getMatchedCount() != 0",
						Judge.test(STORE, "aDeletedLeaseIsNotRenewed")),
				new Mutant("claim not confirmed by the majority", store,
						"LockDocument answer = execute(request, WriteConcern.MAJORITY,",
						"LockDocument answer = execute(request, WriteConcern.W1,",
						Judge.test(PARTITIONS, "aClientThatIsSetToOneMemberStillAsksTheMajority")),
				new Mutant("renewal not confirmed by the majority", store,
						"execute(request, WriteConcern.MAJORITY, (locks) -> renewAll(locks, renewals))",
						"execute(request, WriteConcern.W1, (locks) -> renewAll(locks, renewals))",
						Judge.test(PARTITIONS, "aHolderThatIsIsolatedWithThePrimaryIsToldBeforeTheNextGrant")),
				new Mutant("fence begins anew with the document", statements,
						"operator(\"$multiply\", document(\"$toLong\", this.now), number(1024))", "number(1)",
						Judge.test(STORE, "fencesRiseOverReleaseExpiryAndDeletion")));
	}

	private static List<Mutant> transactions() {
		String listener = "client/LockCommitListener.java";
		return List.of(
				new Mutant("released before the caller's commit", "client/LockTemplate.java",
						"if (ReleaseAfterTransaction.isInTransaction()) {", "if (request == null) {",
						Judge.test(SPRING + "TransactionTests",
								"insideACallersTransactionTheLockIsHeldUntilItsCommit")),
				new Mutant("commit under a lost lock", listener, "LockContext.find(LockCommitListener::refuseIfLost);",
						"", Judge.test(SPRING + "LossBeforeCommitTests", "theMethodsOwnTransactionIsRolledBack")),
				new Mutant("caller's commit under a lost lock", "client/ReleaseAfterTransaction.java",
						"this.handle.assertMayCommit();", "",
						Judge.test(SPRING + "LossBeforeCommitTests", "theCallersTransactionIsRolledBack")),
				new Mutant("released after a commit without an answer", listener,
						"LockContext.find(LockCommitListener::leaveToLapse);", "",
						Judge.test(SPRING + "AmbiguousCommitTests",
								"aLockOfANewTransactionRunsOutThoughTheCallersIsRolledBack")));
	}

	private static List<Mutant> shutdown() {
		return List.of(new Mutant("kept after the shutdown", "client/Holdings.java",
				"this.releases.abandon(holding, Duration.ofNanos(left));", "",
				Judge.test(SPRING + "ShutdownTests", "closedWhileHeldTheLockIsFreeAndItsHolderTold")));
	}

}
