package io.mongolock.faults.mutants;

import java.util.List;
import java.util.stream.Stream;

/**
 * The mutants, one entry each.
 */
final class Mutants {

	private static final String PLACES = "io.mongolock.core.QueuePlacesTests";

	private static final String RELEASING = "io.mongolock.core.ReleaseDecisionTests";

	private static final String LEASE = "io.mongolock.core.LeaseTests";

	private static final String TROUBLE = "io.mongolock.core.RenewalTroubleTests";

	private static final String HAND_OVER = "io.mongolock.core.HandOverTests";

	private static final String IDLE = "io.mongolock.linger.IdleLeasesTests";

	private static final String CLIENT_LOOP = "io.mongolock.client.ClientLoopTests";

	private static final String CLOSING = "io.mongolock.client.ClosingTimesTests";

	private static final String SEQUENCES = "io.mongolock.data.EmbeddedSequencesTests";

	private static final String SPRING = "io.mongolock.faults.spring.";

	/** Asks the template anew, which knows the transaction of the thread. */
	private static final String JOINED = """
			((org.springframework.data.mongodb.core.MongoTemplate) template)
				.setSessionSynchronization(org.springframework.data.mongodb.SessionSynchronization.ON_ACTUAL_TRANSACTION);
			this.locks = (MongoCollection<BsonDocument>) java.lang.reflect.Proxy.newProxyInstance(
				MongoCollection.class.getClassLoader(), new Class<?>[] { MongoCollection.class },
				(proxy, method, args) -> method.invoke(template.execute(name,
						(collection) -> collection.withDocumentClass(BsonDocument.class)), args));
			""";

	private Mutants() {
	}

	static Stream<Mutant> all() {
		return Stream
			.of(time(), claims(), queue(), handOvers(), idle(), renewals(), releases(), races(), statements(),
					transactions(), sequences(), optimistic(), documents(), shedLock(), leader(), jobs())
			.flatMap(List::stream);
	}

	// Random faults of a real set notice these too, within minutes
	static Stream<Mutant> chaos() {
		return Stream.of(
				new Mutant("claims not confirmed by the majority", "ClaimCommand.ask", "answer, WriteConcern.MAJORITY,",
						"answer, WriteConcern.W1,", Judge.chaos("overlap of ")),
				new Mutant("release of any holder", "LockStatements.release",
						"return pull(\"holders\", document(\"token\", string(token)));",
						"return pull(\"holders\", new BsonDocument());", Judge.chaos("overlap of ")),
				new Mutant("numbers not confirmed by the majority", "MajorityCommands.send", "WriteConcern.MAJORITY,",
						"WriteConcern.W1,", Judge.chaos(" given twice: ")),
				new Mutant("guarded writes not confirmed by the majority", "GuardedWrites.write",
						"withWriteConcern(WriteConcern.MAJORITY)", "withWriteConcern(WriteConcern.W1)",
						Judge.chaos("lost update: ")),
				new Mutant("fence reused at hand-over", "HeldLock.<init>", "from.lease.next(from.fence() + 1,",
						"from.lease.next(from.fence(),", Judge.chaos(" did not rise: ")));
	}

	private static List<Mutant> time() {
		return List.of(
				new Mutant("no margin", "LockTerms.reliable", "return this.ttl.minus(this.margin);", "return this.ttl;",
						search("TWO", "TOLD_LATE"), simulation("TOLD_LATE"),
						row("Clock", "theLeaseEndsOneMarginBeforeTheStoresDoes")),
				new Mutant("wall clock ignored", "ClockReading.elapsedSince",
						"Math.max(this.nanos - earlier.nanos, (this.millis - earlier.millis) * 1_000_000)",
						"this.nanos - earlier.nanos", search("TWO", "TOLD_LATE"), simulation("TOLD_LATE"),
						row("Clock", "aHolderThatWasSuspendedHasLost")),
				new Mutant("claim counted from the answer", "AcquisitionState.answered", "holder.get(), requested,",
						"holder.get(), now,", search("TWO", "TOLD_LATE"), simulation("TOLD_LATE"),
						row("Message", "aReplyThatIsLateMakesTheLeaseNoLonger")),
				new Mutant("renewal counted from the answer", "RenewalSchedule.confirmed",
						"renewal.lease().renewed(requested, now)", "renewal.lease().renewed(now, now)",
						search("TWO", "TOLD_LATE"), simulation("TOLD_LATE"),
						row("Renewer", "aRenewalThatTakesLongMakesTheLeaseNoLonger")));
	}

	private static List<Mutant> claims() {
		return List.of(
				new Mutant("unknown claim not cleaned up", "AcquisitionRequests.failed",
						"this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;", "", search("HANDED_OVER", "GHOST"),
						simulation("GHOST"), row("Message", "aClaimDeliveredAfterItsCallerGaveUpIsTakenBack")),
				new Mutant("late grant kept by nobody", "AcquisitionState.answered",
						"(holder.isPresent()) ? new GrantedTooLate() : new TooLate(isUnknown())",
						"new TooLate(isUnknown())", search("BRIEF", "GHOST"), simulation("GHOST"),
						test("io.mongolock.client.LockTemplateAsyncTests", "aGrantThatComesAfterTheCancelIsReleased")),
				new Mutant("clean-up ends with the first answer", "OrphanCleanup.answered",
						"if (!this.mayBeGrantedLate) {", "if (true) {", search("HANDED_OVER", "GHOST"),
						simulation("GHOST"),
						row("Message", "aClaimAskedAgainAndReleasedIsNotBroughtBackByItsLateTwin")),
				new Mutant("clean-up ends before a ttl has passed", "OrphanCleanup.next", "this.fraction < 1",
						"this.fraction < 4", search("HANDED_OVER", "GHOST"), simulation("GHOST"),
						row("Message", "aClaimDeliveredLongAfterItsCallerGaveUpIsTakenBack")),
				new Mutant("forgotten release not repeated", "LockTemplate.<init>", "releases.primaryChanged();", "",
						row("ForgottenRelease", "aReleaseThatOnlyTheOldPrimaryKnewIsRepeated")),
				new Mutant("turn kept by who left", "WaitQueue.remove",
						"		if (this.asking == waiter) {\n			this.asking = null;\n",
						"		if (this.asking == waiter) {\n", search("BRIEF", "PROGRESS"), simulation("PROGRESS"),
						test("io.mongolock.core.LocalWaitQueuesTests", "theFirstMayAskAtOnceAndTheNextWhenItLeaves")));
	}

	private static List<Mutant> queue() {
		return List.of(
				new Mutant("queue: place of a waiter that does not ask refreshed", "QueuePlace.refreshes",
						"!(this.called && this.refreshedSince) && ", "",
						test(PLACES, "aPlaceWhoseWaiterIsCalledAndDoesNotAskIsRefreshedOnceMore"),
						row("Standstill", "aWaiterWhoseThreadStandsStillHoldsUpOthersForTheLifeOfItsPlace")),
				new Mutant("queue: place that does not last", "AcquisitionRequests.send", "this.reserve, placeTtl,",
						"this.reserve, (placeTtl != null) ? java.time.Duration.ofMillis(1) : null,",
						search("HANDED_OVER", "ORDER"), simulation("ORDER")),
				new Mutant("claim with a limit that is too high", "AcquisitionRequests.send", "this.attempt.limit(),",
						"Math.max(2, this.attempt.limit()),", search("BRIEF", "LIMIT"), simulation("LIMIT")));
	}

	private static List<Mutant> handOvers() {
		return List.of(
				new Mutant("fence reused at hand-over", "HeldLock.<init>", "from.lease.next(from.fence() + 1,",
						"from.lease.next(from.fence(),", search("HANDED_OVER", "FENCE"),
						test(HAND_OVER, "eachHolderHasTheNextFenceAndTheGrantKeepsItsOwn")),
				new Mutant("fences set aside beside other holders", "AcquisitionRequests.<init>",
						"(attempt.limit() == 1) ? reserve : 0", "reserve", search("LIMITED_HERE", "FENCE"),
						simulation("FENCE"), test(HAND_OVER, "noFenceIsSetAsideBesideOtherHolders")),
				new Mutant("fences given out beyond those set aside", "Grant.lastFence",
						"return this.entry.fence() + this.reserve;", "return Long.MAX_VALUE;",
						test(HAND_OVER, "aStreakEndsWithTheLastFenceThatTheStoreHasSetAside")),
				new Mutant("lease counted from the hand-over", "Lease.handOver",
						"successor.state = new State(Phase.HELD, confirmed, null);",
						"successor.state = new State(Phase.HELD, now, null);", search("HANDED_OVER", "TOLD_LATE"),
						simulation("TOLD_LATE"),
						test(LEASE, "handedOverItCountsFromTheSameRenewalForTheOneWhoHoldsItNow")),
				new Mutant("handed over with a ttl shorter than the next one relies on", "HeldLock.suits",
						"terms.ttl().compareTo(ttl()) <= 0", "true", search("LONGER", "TOLD_LATE"),
						test(HAND_OVER, "aSuccessorThatNeedsMoreThanStandsInTheStoreAsksForIt")),
				new Mutant("streak without end", "HandOver.pass", "from.streak().elapsed(now) < this.maxTime.toNanos()",
						"now.nanos() != 1", search("HANDED_OVER", "STREAK"), simulation("STREAK"),
						test(HAND_OVER, "aStreakEndsWithItsTimeCountedFromTheGrant")),
				new Mutant("kept by one who gave up as it was handed over", "AcquisitionState.cancel",
						"new Cancelled(end(), this.handedOver)", "new Cancelled(end(), null)", simulation("PROGRESS"),
						test("io.mongolock.core.HandOverInterleavingsTests", "aCancelledWaiterKeepsNoOtherWaiting")),
				new Mutant("work begun under what was lost on the way", "AcquisitionState.hold",
						"		if (held.lossReason() == null) {\n", "		if (held != null) {\n",
						search("HANDED_OVER", "BEGUN_LOST"), simulation("BEGUN_LOST"),
						test("io.mongolock.client.LocalHandOverTests",
								"aWaiterAsksAnewIfTheLockItWasHandedIsLostBeforeItWakes")),
				new Mutant("work begun under a lock known to be lost", "LockTemplate.run",
						"			handle.assertHeld();\n", "", test("io.mongolock.client.LockInstrumentationTests",
								"workDoesNotBeginUnderALockThatIsKnownToBeLost")));
	}

	private static List<Mutant> idle() {
		return List.of(
				new Mutant("idle: recall ignored", "IdleLeases.recall", "&& end(lease)) {", "&& lease.until() < 0) {",
						search("IDLE", "KEPT"), test(IDLE, "aRecallEndsItAtOnceAndWhoComesNextEntersTheQueue")),
				new Mutant("idle: recall forgotten that comes before the grant is known", "ClientQueues.recall",
						"first.attempt().id().equals(lease)", "first.limit() < 0", search("IDLE", "KEPT"),
						test(IDLE, "aRecallThatComesBeforeTheGrantIsKnownIsNotForgotten"),
						test("io.mongolock.client.IdleLeaseReaperTests",
								"aRecallThatComesBeforeTheAnswerToTheGrantHasItReleasedAtItsEnd")),
				new Mutant("idle: kept though its claim may still be executed", "HeldLock.mayBeIdle",
						"&& !this.grant.unknown()", "", search("IDLE", "GHOST"),
						test(IDLE, "aLeaseWhoseTokenMayBeGrantedLateIsNotKeptIdle")),
				new Mutant("idle: ended twice", "IdleLeases.take", "boolean taken = remove(lease);",
						"boolean taken = remove(lease) || lease.until() > 0;",
						test("io.mongolock.core.IdleInterleavingsTests",
								"whenRecallsMayHaveBeenMissedThenTheIdleLeaseEndsAndALaterClaimIsServed")),
				new Mutant("idle: asked for while it is released", "IdleLeases.release", "this.toRelease.add(held);",
						"this.toRelease.add(held); this.queues.wakeNext(held);",
						test(IDLE, "whileItIsReleasedNobodyAsksAndNoWaitIsOver")));
	}

	private static List<Mutant> renewals() {
		return List.of(
				new Mutant("late renewal accepted", "Lease.confirm",
						"if (later && (phase == Phase.HELD || phase == Phase.IDLE) && isReliable(this.state, now)) {",
						"if (later && (phase == Phase.HELD || phase == Phase.IDLE)) {", simulation("REVIVED"),
						test(LEASE, "aRenewalConfirmedAfterTheDeadlineIsNoSuccess")),
				new Mutant("renewal without match ignored", "RenewalSchedule.answered",
						"if (answer.found() >= renewals.size()) {", "if (answer.found() >= 0) {",
						search("TWO", "TOLD_LATE"), simulation("TOLD_LATE"),
						row("Store", "aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal")),
				new Mutant("unknown renewal taken as done", "RenewalSchedule.failed", "batch.pause(pause(batch));",
						"batch.pause(pause(batch)); batch.leases().forEach((lease) -> lease.renewed(now, now));",
						search("TWO", "TOLD_LATE"), simulation("TOLD_LATE"),
						row("Renewer", "aRenewalThatThrowsErrorsForEverEndsInALossThatIsTold")),
				new Mutant("refused renewal taken for a missing lease", "TokenCommands.renewAll",
						"return StoreFailures.ofSome(leases, ex);", "return RenewalAnswer.of(0);",
						row("RefusedWrites", "aLeaseWhoseRenewalsAreRefusedForAWhileIsKept")),
				new Mutant("renewed on the thread that watches", "LockTemplate.<init>", "threads.renewals()",
						"Runnable::run", row("Renewer", "aHolderIsToldThoughARenewalNeverReturns")),
				new Mutant("never renewed", "LeaseRenewal.isWaiting", "return this.renews && this.batch == null;",
						"return false;", search("TWO", "NEEDLESS"), simulation("NEEDLESS"),
						row("Renewer", "aRenewalThatThrowsAnErrorIsTriedAgain")),
				new Mutant("renewed at the deadline", "LeaseRenewal.dueIn", "this.lease.renewalDueAt(leases)",
						"this.lease.deadline()", search("NOT_RENEWED", "NEEDLESS"), simulation("NEEDLESS"),
						test(CLIENT_LOOP, "aLeaseWhoseGrantTookLongIsRenewedAtOnce")),
				new Mutant("batch that hangs never divided", "RenewalSchedule.letGo",
						"				else {\n					batch.divide(now);",
						"				else {\n					batch.letGo(Division.MAX_BATCH, now);",
						search("TWO_LOCKS", "NEEDLESS"), simulation("NEEDLESS"),
						test(TROUBLE, "oneDocumentBlockedForGoodLosesItsOwnLockAlone")));
	}

	private static List<Mutant> releases() {
		return List.of(
				new Mutant("overrun without a proof", "ReleaseDecision.needsProof", "return !this.held;",
						"return false;", simulation("OUTCOME"),
						row("Partition", "aHolderWhoseLeaseRanOutIsNotToldByAMinorityThatItOverran")),
				new Mutant("release that found nothing taken for an overrun", "ReleaseDecision.answered",
						"(ended && proved) ? released : ReleaseOutcome.LOST",
						"(ended || !this.held) ? released : ReleaseOutcome.LOST", search("NOT_RENEWED", "OUTCOME"),
						simulation("OUTCOME"),
						test(RELEASING, "aReleaseAfterTheDeadlineNeedsAProofAndIsAnOverrunOnlyWithIt")),
				new Mutant("minimum hold forgotten at release", "ReleaseDecision.keeps",
						"return !this.keptFor.isZero();", "return false;", search("MIN_HOLD", "MIN_HOLD"),
						simulation("MIN_HOLD"),
						test("io.mongolock.client.MinHoldTests",
								"aReleaseLeavesWhatIsLeftToTheLeaseAndTheCallerDoesNotWait")),
				new Mutant("minimum hold cleaned up", "OrphanCleanup.keptFor",
						"ClockReading.untilWholeMillis(this.begun.nanos() - now.nanos())", "Duration.ZERO",
						search("MIN_HOLD", "MIN_HOLD"), simulation("MIN_HOLD"), test("io.mongolock.core.HeldLockTests",
								"aCleanUpKeepsTheLockUntilAnsweredAndReleasesItAfterwards")));
	}

	/** What ends at the same moment as something else. */
	private static List<Mutant> races() {
		return List.of(new Mutant("race: what is granted during a stop kept", "LockTemplate.stop",
				"		// Give back the locks and places of requests that have ended meanwhile\n		giveBack(time);\n",
				"", clients()),
				new Mutant("race: successor of a hand-over not renewed", "HoldRegistry.replace",
						"try { register(successor);", "try { this.held.add(successor);", clients(),
						test("io.mongolock.client.LocalHandOverTests", "aLockThatWasHandedOverIsRenewed")),
				new Mutant("race: handle closed twice lets go twice", "LeaseHandle.close",
						"if (this.closed.compareAndSet(false, true)) {", "if (!this.closed.getAndSet(true) | true) {",
						clients(), test(CLOSING, "aHandleClosedTwiceLetsGoOnce")),
				new Mutant("race: grant to a future that is over kept by nobody", "AsyncDriver.handOut",
						"				handle.close();\n", "", clients(),
						test(CLOSING, "aLockGrantedToACancelledFutureIsReleasedDespiteItsMinimumHold")),
				new Mutant("race: lost lock shared", "HoldState.add",
						"if (!this.lease.isHeld(now) && this.lease.lossReason() != null) {",
						"if (this.lease.isHeld(now) && this.lease.lossReason() != null) {", clients(),
						test(CLOSING, "aLostLockIsNotShared")),
				new Mutant("race: claim that joins during a stop never stopped", "ClientQueues.joined",
						"!this.running.getAsBoolean()", "false", clients(),
						test(CLOSING, "aClaimThatJoinsDuringAStopIsStoppedToo")));
	}

	private static List<Mutant> statements() {
		return List.of(new Mutant("everybody admitted", "ClaimPipeline.decide", "operator(\"$lt\", this.taken, limit)",
				"operator(\"$gt\", limit, number(0))", row("Load", "aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm")),
				new Mutant("first claim passes holders", "FastClaim", "lastEnd(\"$holders\", longest(\"$holders\")), ",
						"", row("Load", "aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm")),
				new Mutant("release of any holder", "LockStatements.release",
						"return pull(\"holders\", document(\"token\", string(token)));",
						"return document(\"$set\", document(\"holders\", new org.bson.BsonArray()));",
						row("Message", "aReleaseWhoseReplyIsLostNeverFreesTheNextHolder")),
				new Mutant("renewal of any holder", "LockStatements.heldBy",
						"return document(\"_id\", id, this.path + \"holders.token\", string(token));",
						"return document(\"_id\", id, this.path + \"holders.limit\", document(\"$gte\", new BsonInt32(0)));",
						row("Message", "aRenewalDeliveredAfterTheTakeOverDoesNotTouchTheNewHolder")),
				new Mutant("renewal brings back", "TokenCommands.renewAll", ": this.statements.renewal());",
						": this.statements.renewal(), new com.mongodb.client.model.UpdateOptions().upsert(true));",
						row("StoreClock", "aHolderWhoseDocumentTheTtlIndexRemovedHasLost")),
				new Mutant("claim not confirmed by the majority", "ClaimCommand.ask", "answer, WriteConcern.MAJORITY,",
						"answer, WriteConcern.W1,",
						row("Partition", "aClientThatIsSetToOneMemberStillAsksTheMajority")),
				new Mutant("claim: grant of a primary that nobody confirmed", "PrimaryCollection.run",
						"if (answer.containsKey(\"writeConcernError\")) {", "if (answer.isEmpty()) {",
						row("Answer", "aClaimWhoseWriteConcernFailedIsUnknownAndLeavesNoOrphan")),
				new Mutant("renewal not confirmed by the majority", "TokenCommands.renewAll",
						"all(\"renew\", WriteConcern.MAJORITY,", "all(\"renew\", WriteConcern.W1,",
						row("Partition", "aHolderThatIsIsolatedWithThePrimaryIsToldBeforeTheNextGrant")),
				new Mutant("fence begins anew with the document", "ClaimStatements.<init>",
						"operator(\"$multiply\", document(\"$toLong\", this.now), number(1024))", "number(1)",
						row("Store", "aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal")));
	}

	private static List<Mutant> transactions() {
		return List.of(
				new Mutant("guarded write with the application's write concern", "GuardedWrites.write",
						"documents.withWriteConcern(WriteConcern.MAJORITY)", "documents",
						row("Unconfirmed", "aGuardedWriteThatNobodyElseHasWhenThePrimaryDiesWasNotAccepted")),
				new Mutant("requests joined to the caller's transaction", "PrimaryCollection.<init>",
						"this.locks = Objects.requireNonNull(", JOINED + "Objects.requireNonNull(",
						test(SPRING + "MongoTransactionTests", "noRequestForALockJoinsATransactionOfItsDatabase")),
				new Mutant("released before the caller's commit", "TransactionLocks.keep",
						"TransactionSynchronizationManager.isActualTransactionActive()", "heldLock.limit() < 0",
						test(SPRING + "TransactionTests", "theLockIsHeldUntilTheOutermostCommit")),
				new Mutant("commit under a lost lock", "LockCommitListener.beforeCommit",
						"LockHandles.ofThread().forEach(LeaseHandle::assertMayCommit);", "",
						test(SPRING + "TransactionTests", "aLockThatIsLostBeforeTheCommitRollsBack")),
				new Mutant("caller's commit under a lost lock", "TransactionLocks.beforeCommit",
						"this.shared.forEach((heldLock) -> heldLock.state().assertMayCommit(this.holds.now()));", "",
						test(SPRING + "TransactionTests", "aLockThatIsLostBeforeTheCommitRollsBack")),
				new Mutant("released after a commit without an answer", "LockCommitListener.letExpireAfter",
						"LockHandles.ofThread().forEach((lease) -> lease.heldLock().state().letExpire());", "",
						test(SPRING + "TransactionTests", "aLockWhoseCommitHasNoAnswerIsNotReleasedButRunsOut")));
	}

	private static List<Mutant> sequences() {
		return List.of(
				new Mutant("block counted from the wrong end", "ReservedNumbers.endingAt",
						"new SequenceRange(last - size + 1, last)", "new SequenceRange(last, last + size - 1)",
						test(SEQUENCES, "eachInstanceGivesOutItsOwnBlock")),
				new Mutant("more numbers than the block has left", "ReservedNumbers.next", "this.left < count",
						"this.left == 0",
						test(SEQUENCES, "severalNumbersAreOneRowWithoutAGapAndComeFromTheBlockIfTheyFit")),
				new Mutant("lost answer counted as the block that stands there", "MajorityCommands.send",
						"command.apply(documents.withTimeout(left, TimeUnit.MILLISECONDS))",
						"(left < request.timeoutMillis()) ? documents.find().first() : command.apply(documents)",
						row("Sequence", "aLostMessageIsAGapAtMostAndNeverANumberTwice")),
				new Mutant("numbers not confirmed by the majority", "MajorityCommands.send", "WriteConcern.MAJORITY,",
						"WriteConcern.W1,", row("Unconfirmed", "aNumberOfASequenceIsGivenToNobody")));
	}

	private static List<Mutant> optimistic() {
		String updater = "io.mongolock.documents.EmbeddedOptimisticUpdaterTests";
		return List.of(new Mutant("saved over another version", "UpdateAttempt.write", "new Document(written.before())",
				"new Document()", test(updater, "aConcurrentChangeIsNotLost")));
	}

	// Those that are the same each time
	private static Judge programs() {
		return test("io.mongolock.documents.DocumentProgramsTests", "theSameProgramsKeepAllPromisesEachTime");
	}

	private static List<Mutant> documents() {
		String documents = "io.mongolock.documents.EmbeddedDocumentLocksTests";
		String unanswered = "io.mongolock.documents.UnansweredDocumentWritesTests";
		return List.of(
				new Mutant("document lock: held though a write may have released it", "HeldDocument.unanswered",
						"		end(false);", "		notWritten();", programs(),
						test(unanswered, "aWriteWithoutAnAnswerClosesTheDocumentAndItsTicketSaysHowItStands"),
						test("io.mongolock.faults.rows.DocumentLockRowsTests",
								"nobodyReliesOnALockWhoseReleasingWriteIsInDoubt")),
				new Mutant("document lock: a second object of one hold", "DocumentLocks.lock",
						"refuseSecond(locked, request);", "", programs(),
						test(documents, "workWithinAHoldIsHandedTheSameLockedDocument")),
				new Mutant("document lock: changed since the ticket, and overwritten", "DocumentLocks.resume",
						"version != proof.version() && !this.tickets.isDraft(proof, document, version)", "false",
						programs(),
						test(documents,
								"resumeOfADocumentChangedSinceTheTicketIsRefusedUntilItsHolderHasSeenTheChange")),
				new Mutant("document lock: transaction committed though it is gone",
						"DocumentTransactions.beforeCommit", ".forEach(HeldDocument::assertMayCommit);", ".count();",
						test("io.mongolock.documents.DocumentLockTransactionTests",
								"aTransactionOfAnotherKindIsNotCommittedEitherIfALockIsGone")),
				new Mutant("document lock: version kept raised by a plain save that was refused",
						"UnlockedSaveGuard.onBeforeConvert", "			takeBackVersion(type, entity);\n", "",
						programs(), test("io.mongolock.documents.UnlockedSaveGuardTests",
								"aSaveThatIsRefusedLeavesTheVersionInTheObjectAsItWas")));
	}

	private static Judge search(String scope, String violation) {
		return Judge.search(scope, violation);
	}

	private static Judge simulation(String violation) {
		return Judge.simulation(violation);
	}

	private static Judge clients() {
		return Judge.clients();
	}

	private static List<Mutant> shedLock() {
		String providers = "io.mongolock.shedlock.EmbeddedLockProviderTests";
		return List.of(new Mutant("ShedLock: document of an older instance taken over", "ShedLockDocuments.take",
				"Filters.lte(UNTIL, now)", "Filters.exists(UNTIL)",
				test(providers, "anOldInstanceExcludesANewOneUntilItsUnlock"),
				test(providers, "oldAndNewExcludeEachOtherInARace")));
	}

	private static List<Mutant> leader() {
		String election = "io.mongolock.leader.LeaderElectionTests";
		return List
			.of(new Mutant("leader: leads beyond its deadline", "LeaderElection.term", " && current.handle.isHeld()",
					"", test(election, "aTermIsOverOnceItsLockIsNotHeldThoughNobodyHasSaidSo")));
	}

	private static List<Mutant> jobs() {
		return List.of(
				new Mutant("jobs: run of a later holder taken for left", "JobDecision.decide", "open.fence() < fence",
						"fence != 0",
						test("io.mongolock.jobs.JobDecisionTests",
								"inNoOrderOfStepsATickIsRunTwiceWithoutASecondAttemptOrForgotten")),
				new Mutant("jobs: a tick in two records", "MongoJobRuns.idOf", "run.firstTick()", "run.tick()",
						test("io.mongolock.jobs.MongoJobRunsTests",
								"whenATickHasARecordThenNoneThatBeginsWithItIsAdded")),
				new Mutant("jobs: work begun though its lock was lost", "JobRunner.attempt", "handle.assertHeld();", "",
						test("io.mongolock.jobs.JobRunnerTests",
								"workWhoseLockWasLostAfterItsRunWasKeptIsNotBegunAndIsLeftForOthers")));
	}

	/** What one thread does in the midst of another's step. */
	private static Judge test(String test, String method) {
		return Judge.test(test, method);
	}

	private static Judge row(String rows, String method) {
		return test("io.mongolock.faults.rows." + rows + "RowsTests", method);
	}

}
