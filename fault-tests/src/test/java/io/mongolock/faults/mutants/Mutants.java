package io.mongolock.faults.mutants;

import java.util.List;
import java.util.stream.Stream;

/**
 * The mutants, one entry each.
 */
final class Mutants {

	private static final String STORE = "io.mongolock.store.mongo.EmbeddedLockStoreTests";

	private static final String TEMPLATE = "io.mongolock.client.LockTemplateTests";

	private static final String ACQUISITION = "io.mongolock.core.LockAcquisitionTests";

	private static final String PLACES = "io.mongolock.core.QueuePlacesTests";

	private static final String RELEASING = "io.mongolock.core.ReleaseDecisionTests";

	private static final String LEASE = "io.mongolock.core.LeaseTests";

	private static final String SCHEDULE = "io.mongolock.core.RenewalScheduleTests";

	private static final String TROUBLE = "io.mongolock.core.RenewalTroubleTests";

	private static final String HAND_OVER = "io.mongolock.core.HandOverTests";

	private static final String RENEWER = "io.mongolock.client.LeaseRenewerTests";

	private static final String SEQUENCES = "io.mongolock.mongodb.EmbeddedSequencesTests";

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
			.of(time(), claims(), line(), handOvers(), renewals(), releases(), statements(), transactions(), shutdown(),
					sequences(), optimistic(), documents())
			.flatMap(List::stream);
	}

	private static List<Mutant> time() {
		return List.of(
				new Mutant("no margin", "core/ResolvedLockSettings.java", "return this.ttl.minus(this.margin);",
						"return this.ttl;", Judge.simulation("TOLD_LATE"),
						row("Clock", "theLeaseEndsOneMarginBeforeTheStoresDoes")),
				new Mutant("wall clock ignored", "core/ClockReading.java",
						"Math.max(this.nanos - earlier.nanos, (this.millis - earlier.millis) * 1_000_000)",
						"this.nanos - earlier.nanos", Judge.simulation("TOLD_LATE"),
						row("Clock", "aHolderThatWasSuspendedHasLost")),
				new Mutant("claim counted from the answer", "core/AcquisitionState.java", "holder.get(), requested,",
						"holder.get(), now,", Judge.simulation("TOLD_LATE"),
						row("Message", "aReplyThatIsLateMakesTheLeaseNoLonger")),
				new Mutant("renewal counted from the answer", "core/RenewalSchedule.java",
						"plan.lease().renewed(requested, now)", "plan.lease().renewed(now, now)",
						Judge.simulation("TOLD_LATE"), row("Renewer", "aRenewalThatTakesLongMakesTheLeaseNoLonger")));
	}

	private static List<Mutant> claims() {
		return List.of(
				new Mutant("unknown claim not cleaned up", "core/AcquisitionRequests.java",
						"this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;", "", Judge.simulation("GHOST"),
						row("Message", "aClaimDeliveredAfterItsCallerGaveUpIsTakenBack")),
				new Mutant("late grant kept by nobody", "core/AcquisitionState.java",
						"(holder.isPresent()) ? new GrantedTooLate() : new TooLate(isUnknown())",
						"new TooLate(isUnknown())", Judge.simulation("NEEDLESS"),
						Judge.test(TEMPLATE, "aGrantThatComesAfterTheCancelIsGivenBack")),
				new Mutant("clean-up ends with the first answer", "core/OrphanCleanup.java",
						"(this.answered && !this.mayBeGrantedLate)", "this.answered", Judge.simulation("GHOST"),
						row("Message", "aClaimAskedAgainAndReleasedIsNotBroughtBackByItsLateTwin")),
				new Mutant("clean-up ends before a ttl has passed", "core/OrphanCleanup.java", "this.fraction < 1",
						"this.fraction < 4", Judge.simulation("GHOST"),
						row("Message", "aClaimDeliveredLongAfterItsCallerGaveUpIsTakenBack")),
				new Mutant("turn given twice", "core/WaitQueue.java", "		this.waiters.remove(first);\n", "",
						Judge.test(TEMPLATE, "theThreadsOfOneJvmSendOneWaiterToTheStoreAndAreServedInOrder")),
				new Mutant("turn kept by who left", "core/WaitQueue.java",
						"		if (this.asking == waiter) {\n			this.asking = null;\n",
						"		if (this.asking == waiter) {\n", Judge.simulation("PROGRESS"),
						Judge.test("io.mongolock.core.LocalWaitQueuesTests",
								"theFirstMayAskAtOnceAndTheNextWhenItLeaves")));
	}

	private static List<Mutant> line() {
		return List.of(
				new Mutant("line: place kept after a timeout", "core/ClientQueues.java",
						"			this.places.left(place);\n", "", Judge.simulation("PROGRESS"),
						Judge.test(ACQUISITION, "whoeverEndsWithoutTheLockLeavesTheLine")),
				new Mutant("line: wake-up taken for a grant", "core/AcquisitionState.java",
						"			case QUEUED, CALLED -> ask(now);",
						"""
								case QUEUED -> ask(now);
								case CALLED -> granted(
										new Turn(new StoredHolder(this.acquisition.id().leaseToken(), now.millis(), 1,
												this.acquisition.owner(), java.time.Instant.now(), java.time.Instant.now(),
												this.terms.ttl()), 0, now, false, false),
										new ClaimAnswer(List.of(), List.of(), List.of(), java.time.Instant.now()), now);""",
						Judge.test(ACQUISITION, "aHintIsNoGrantAndOnlyMakesTheNextInLineAsk")),
				new Mutant("line: every wake-up makes everybody ask", "core/WaitingPlace.java",
						"this.standing && this.seen != null && this.seen.admits(this.freed)", "this.standing",
						Judge.test(PLACES, "aReleaseLetsOnlyThoseAskWhoCouldBeAdmitted")),
				new Mutant("line: place never refreshed", "core/PlaceSchedule.java",
						"now.nanos() - this.refreshAt >= 0", "now.nanos() - this.refreshAt >= QueuePlaces.NEVER",
						Judge.test(PLACES, "allPlacesAreRefreshedWithOneRequestEveryThirdOfTheirLifeAndThenLookedAt")),
				new Mutant("line: place that does not last", "core/AcquisitionRequests.java",
						"this.claim.inLine(placeTtl)", "this.claim.inLine(java.time.Duration.ofMillis(1))",
						Judge.simulation("ORDER")),
				new Mutant("claim with a limit that is too high", "core/AcquisitionRequests.java",
						"this.claim.asFirst();", "this.claim.withLimit(Math.max(2, this.claim.limit()));",
						Judge.simulation("LIMIT")),
				new Mutant("line: late comers pass those in line", "store/mongo/ClaimPipeline.java",
						"new BsonInt32(0)), this.line,", "new BsonInt32(0)), new org.bson.BsonArray(),",
						Judge.test(STORE, "whoWaitsIsServedInTheOrderOfComing")));
	}

	private static List<Mutant> handOvers() {
		return List.of(
				new Mutant("fence reused at hand-over", "core/HeldLock.java", "from.lease.next(from.fence() + 1,",
						"from.lease.next(from.fence(),", Judge.simulation("FENCE"),
						Judge.test(HAND_OVER, "eachHolderHasTheNextFenceAndTheGrantKeepsItsOwn")),
				new Mutant("fences given out beyond those set aside", "core/Turn.java",
						"return this.entry.fence() + this.reserve;", "return Long.MAX_VALUE;",
						Judge.test(HAND_OVER, "aTurnEndsWithItsNumber")),
				new Mutant("handed over after the deadline", "core/Lease.java",
						"boolean held = isReliable(this.state, now) && end();", "boolean held = end();",
						Judge.test(LEASE, "itIsNotHandedOverAfterItsDeadlineNorTwiceNorOnceReleased")),
				new Mutant("lease counted from the hand-over", "core/Lease.java",
						"successor.state = new State(Phase.HELD, confirmed, null);",
						"successor.state = new State(Phase.HELD, now, null);", Judge.simulation("TOLD_LATE"),
						Judge.test(LEASE, "handedOverItCountsFromTheSameRenewalForTheOneWhoHoldsItNow")),
				new Mutant("handed over with a ttl shorter than the next one relies on", "core/HandOver.java",
						"next, now) && terms.ttl().compareTo(from.ttl()) <= 0", "next, now)",
						Judge.simulation("TOLD_LATE"),
						Judge.test(HAND_OVER, "aLeaseIsLengthenedBeforeItIsHandedToOneWhoAsksForMore")),
				new Mutant("handed over although the longer ttl was not confirmed", "core/HeldLock.java",
						"		if (found) {\n			this.turn = this.turn.lasting(ttl);\n		}\n		return renewed(found, requested, now);",
						"		this.turn = this.turn.lasting(ttl);\n		return true;",
						Judge.test(HAND_OVER, "aLeaseThatTheStoreDoesNotFindIsLostAndTheNextAsks")),
				new Mutant("turn without end", "core/HandOver.java",
						"now.elapsedSince(from.turn().begun()) < this.maxTime.toNanos()", "now.nanos() != 1",
						Judge.simulation("TURN"), Judge.test(HAND_OVER, "aTurnEndsWithItsTimeCountedFromTheGrant")),
				new Mutant("handed to one who had gone", "core/LockAcquisition.java",
						"(this.state.isQueued()) ? from.handOver(this, now) : null", "from.handOver(this, now)",
						Judge.test("io.mongolock.core.HandOverInterleavingsTests", "whoIsCancelledKeepsNobodyWaiting")),
				new Mutant("kept by one who gave up as it was handed over", "core/AcquisitionState.java",
						"new Cancelled(end(), this.handedOver)", "new Cancelled(end(), null)",
						Judge.simulation("PROGRESS"),
						Judge.test("io.mongolock.core.HandOverInterleavingsTests", "whoIsCancelledKeepsNobodyWaiting")),
				new Mutant("loss told to who handed it over", "core/Lease.java", "holder = this.entry.holder();",
						"holder = this;", Judge.test(LEASE, "aRefusalReachesWhoHoldsItByThen")));
	}

	private static List<Mutant> renewals() {
		return List.of(
				new Mutant("late renewal accepted", "core/Lease.java",
						"if (later && this.state.phase() == Phase.HELD && isReliable(this.state, now)) {",
						"if (later && this.state.phase() == Phase.HELD) {", Judge.simulation("REVIVED"),
						Judge.test(LEASE, "aRenewalConfirmedAfterTheDeadlineIsNoSuccess")),
				new Mutant("renewal without match ignored", "core/RenewalSchedule.java",
						"if (found >= batch.leases().size()) {", "if (found >= 0) {", Judge.simulation("TOLD_LATE"),
						row("Store", "aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal")),
				new Mutant("unknown renewal taken as done", "core/RenewalSchedule.java",
						"batch.rest(now.nanos() + pause(batch));",
						"batch.rest(now.nanos() + pause(batch)); batch.leases().forEach((lease) -> lease.renewed(now, now));",
						Judge.simulation("TOLD_LATE"),
						row("Renewer", "aRenewalThatThrowsErrorsForEverEndsInALossThatIsTold")),
				new Mutant("renewed on the application's threads", "client/LockClient.java", "threads.renewals()",
						"java.util.concurrent.ForkJoinPool.commonPool()",
						row("Renewer", "renewalsPassWhileTheApplicationsThreadsAreBusy")),
				new Mutant("renewed on the thread that watches", "client/LockClient.java", "threads.renewals()",
						"Runnable::run", row("Renewer", "aHolderIsToldThoughARenewalNeverReturns")),
				new Mutant("never renewed", "core/RenewalPlan.java",
						"return this.lease.terms().autoRenew() && this.batch == null;", "return false;",
						Judge.simulation("NEEDLESS"), row("Renewer", "aRenewalThatThrowsAnErrorIsTriedAgain")),
				new Mutant("first renewal counted from the answer", "core/RenewalSchedule.java", "lease.renewalDueAt()",
						"now.nanos() + lease.terms().renewInterval().toNanos()", Judge.simulation("NEEDLESS"),
						Judge.test(RENEWER, "aLeaseWhoseGrantTookLongIsRenewedAtOnce")),
				new Mutant("batch that hangs never divided", "core/RenewalSchedule.java",
						"				else {\n					batch.letGo(batch.part(RenewalBatch.PARTS), now);",
						"				else {\n					batch.letGo(MAX_BATCH, now);",
						Judge.simulation("NEEDLESS"),
						Judge.test(TROUBLE, "oneDocumentBlockedForGoodLosesItsOwnLockAlone")),
				new Mutant("renewals without bound", "core/RenewalSchedule.java",
						"return this.underway.size() < MAX_REQUESTS",
						"if (suspect | true) {\n return true;\n}\n return this.underway.size() < MAX_REQUESTS",
						Judge.test(TROUBLE, "manyDocumentsGoneAreFoundMissingAFewRequestsAtATime")),
				new Mutant("batch of mixed timeouts", "core/RenewalQueue.java",
						"new Kind(plan.most(), timeoutClass(plan.lease()))", "new Kind(plan.most(), 0)",
						Judge.test(SCHEDULE, "aBatchHoldsLeasesOfLikeTimeoutsAndKeepsToTheShortest")),
				new Mutant("renewal that found nothing taken for one", "core/HeldLock.java",
						"		this.lease.refused();\n		return this.lease.isHeld(now);",
						"		this.lease.refused();\n		return this.lease.renewed(requested, now);",
						Judge.test("io.mongolock.core.HeldLockTests",
								"aRenewalThatDidNotFindTheLeaseNeverLengthensItThoughItMaySayNothingYet")),
				new Mutant("lock that a save without an answer may have released relied on as before",
						"client/HeldLocks.java", "renewer().registerAgain(", "renewer().register(",
						Judge.test("io.mongolock.client.LockTemplateTests",
								"aLockThatAStatementWithoutAnAnswerMayHaveEndedIsLookedForAtOnce")),
				new Mutant("watch that dies of its own failure", "client/LeaseRenewer.java",
						"			failed(null, ex);\n			return RETRY / 10;", "			throw ex;",
						Judge.test(RENEWER, "theWatchOutlivesAFailureOfWhatItDoesAboutAFailure")),
				new Mutant("thread that does not start ends all renewals", "client/LeaseRenewer.java",
						"			this.schedule.failed(batch, now);\n		}\n	}\n\n	private long",
						"		}\n	}\n\n	private long",
						Judge.test(RENEWER, "aThreadThatCannotBeStartedIsTriedAgain")));
	}

	private static List<Mutant> releases() {
		return List.of(
				new Mutant("overrun without a proof", "core/ReleaseDecision.java", "return !this.held;",
						"return false;", Judge.simulation("OUTCOME"),
						row("Partition", "aHolderWhoseLeaseRanOutIsNotToldByAMinorityThatItOverran")),
				new Mutant("release that found nothing taken for an overrun", "core/ReleaseDecision.java",
						"(ended && proved) ? released : ReleaseOutcome.LOST",
						"(ended || !this.held) ? released : ReleaseOutcome.LOST", Judge.simulation("OUTCOME"),
						Judge.test(RELEASING, "whatRanOutAsksForAProofAndIsAnOverrunOnlyWithIt")),
				new Mutant("minimum hold forgotten at release", "core/ReleaseDecision.java",
						"return !this.keptFor.isZero();", "return false;", Judge.simulation("MIN_HOLD"),
						Judge.test("io.mongolock.client.MinHoldTests",
								"aReleaseLeavesWhatIsLeftToTheLeaseAndTheCallerDoesNotWait")),
				new Mutant("minimum hold cleaned up", "core/OrphanCleanup.java",
						"ClockReading.untilWholeMillis(this.begun.nanos() - now.nanos())", "Duration.ZERO",
						Judge.simulation("MIN_HOLD"), Judge.test("io.mongolock.core.HeldLockTests",
								"aCleanUpKeepsTheLockUntilAnsweredAndReleasesItAfterwards")));
	}

	private static List<Mutant> statements() {
		String store = "store/mongo/MongoLockStore.java";
		String leases = "store/mongo/LeaseRequests.java";
		String statements = "store/mongo/LockStatements.java";
		return List.of(
				new Mutant("everybody admitted", "store/mongo/ClaimPipeline.java",
						"operator(\"$lt\", this.taken, limit)", "operator(\"$gt\", limit, number(0))",
						row("Load", "aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm")),
				new Mutant("reader beside writer", "store/mongo/ClaimPipeline.java",
						"new BsonInt32(claim.limit()), this.aliveLimit,", "new BsonInt32(claim.limit()),",
						Judge.test(STORE, "waitingReadersEnterTogether")),
				new Mutant("limit of those ahead not checked", "store/mongo/ClaimPipeline.java",
						"this.aliveLimit, this.aheadLimit)", "this.aliveLimit)",
						Judge.test(STORE, "readersDoNotStarveAWriter")),
				new Mutant("first claim passes those in line", "store/mongo/FastClaim.java",
						"operator(\"$max\", lastEnd(\"$holders\"), lastEnd(\"$queue\"))", "lastEnd(\"$holders\")",
						Judge.test(STORE, "aFirstClaimIsDeniedWhileSomebodyStandsInLine")),
				new Mutant("first claim passes holders", "store/mongo/FastClaim.java",
						"operator(\"$max\", lastEnd(\"$holders\"), lastEnd(\"$queue\"))", "lastEnd(\"$queue\")",
						row("Load", "aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm")),
				new Mutant("repeated claim sent as a first one", "core/AcquisitionRequests.java",
						"(this.repeated) ? this.claim : this.claim.asFirst()", "this.claim.asFirst()",
						Judge.test(ACQUISITION, "aDeniedClaimEntersTheLineAtOnceAndAsksOnceMoreWhenTheWaitIsOver")),
				new Mutant("release of whoever holds", statements,
						"return pull(\"holders\", document(\"token\", string(token)));",
						"return document(\"$set\", document(\"holders\", new org.bson.BsonArray()));",
						row("Message", "aReleaseWhoseReplyIsLostNeverFreesTheNextHolder")),
				new Mutant("overrun proved by a later grant", statements, ".append(\"fence\", new BsonInt64(fence))",
						"", Judge.test(STORE, "aLaterGrantOfItsOwnTokenProvesNothing")),
				new Mutant("renewal of whoever holds", statements,
						"return document(\"_id\", id, this.path + \"holders.token\", string(token));",
						"return document(\"_id\", id, this.path + \"holders.limit\", document(\"$gte\", new BsonInt32(0)));",
						row("Message", "aRenewalDeliveredAfterTheTakeOverDoesNotTouchTheNewHolder")),
				new Mutant("renewal brings back", leases,
						"locks.updateOne(filter, this.statements.renewal()).getMatchedCount() != 0",
						"locks.updateOne(filter, this.statements.renewal(), new com.mongodb.client.model.UpdateOptions().upsert(true)).getMatchedCount() != 0",
						row("StoreClock", "aHolderWhoseDocumentTheTtlIndexRemovedHasLost")),
				new Mutant("claim not confirmed by the majority", store,
						"LockDocument answer = this.locks.execute(request, WriteConcern.MAJORITY,",
						"LockDocument answer = this.locks.execute(request, WriteConcern.W1,",
						row("Partition", "aClientThatIsSetToOneMemberStillAsksTheMajority")),
				new Mutant("renewal not confirmed by the majority", leases, "all(\"renew\", WriteConcern.MAJORITY,",
						"all(\"renew\", WriteConcern.W1,",
						row("Partition", "aHolderThatIsIsolatedWithThePrimaryIsToldBeforeTheNextGrant")),
				new Mutant("fence begins anew with the document", "store/mongo/ClaimStatements.java",
						"operator(\"$multiply\", document(\"$toLong\", this.now), number(1024))", "number(1)",
						row("Store", "aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal")));
	}

	private static List<Mutant> transactions() {
		String listener = "client/LockCommitListener.java";
		return List.of(
				new Mutant("guarded write with the application's write concern", "mongodb/GuardedUpdate.java",
						"collection.withWriteConcern(concern).updateOne(", "collection.updateOne(",
						row("Unconfirmed", "aGuardedWriteThatNobodyElseHasWhenThePrimaryDiesWasNotAccepted")),
				new Mutant("requests joined to the caller's transaction", "store/mongo/LockCollection.java",
						"this.locks = Objects.requireNonNull(", JOINED + "Objects.requireNonNull(",
						Judge.test(SPRING + "MongoTransactionTests",
								"noRequestForALockJoinsATransactionOfItsDatabase")),
				new Mutant("released before the caller's commit", "client/TransactionLocks.java",
						"TransactionSynchronizationManager.isActualTransactionActive()", "heldLock.limit() < 0",
						Judge.test(SPRING + "TransactionTests", "theLockIsHeldUntilTheOutermostCommit")),
				new Mutant("commit under a lost lock", listener, "LockContext.find(LockCommitListener::refuseIfLost);",
						"", Judge.test(SPRING + "TransactionTests", "aLockThatIsLostBeforeTheCommitRollsBack")),
				new Mutant("caller's commit under a lost lock", "client/TransactionLocks.java",
						"this.shared.forEach((heldLock) -> heldLock.shares().assertMayCommit(this.heldLocks.now()));",
						"", Judge.test(SPRING + "TransactionTests", "aLockThatIsLostBeforeTheCommitRollsBack")),
				new Mutant("released after a commit without an answer", listener,
						"LockContext.find(LockCommitListener::letExpire);", "",
						Judge.test(SPRING + "TransactionTests", "aLockWhoseCommitHasNoAnswerIsNotReleasedButRunsOut")));
	}

	private static List<Mutant> shutdown() {
		return List
			.of(new Mutant("kept after the shutdown", "client/HeldLocks.java", "this.releaser.releaseAll(left, until);",
					"", Judge.test(SPRING + "ShutdownTests", "closedWhileHeldTheLockIsFreeAndItsHolderTold")));
	}

	private static List<Mutant> sequences() {
		String store = "store/mongo/SequenceStore.java";
		return List.of(
				new Mutant("block counted from the wrong end", "mongodb/SequenceRange.java",
						"new SequenceRange(last - size + 1, last)", "new SequenceRange(last, last + size - 1)",
						Judge.test(SEQUENCES, "eachInstanceGivesOutItsOwnBlock")),
				new Mutant("more numbers than the block has left", "mongodb/ReservedNumbers.java",
						"this.left.size() < count", "this.left.size() == 0",
						Judge.test(SEQUENCES, "severalNumbersAreOneRowWithoutAGapAndComeFromTheBlockIfTheyFit")),
				new Mutant("lost answer counted as the block that stands there", "store/mongo/RepeatedCommand.java",
						"timed = withTimeLeft(timed);", "return timed.find().first();",
						row("Sequence", "aLostMessageIsAGapAtMostAndNeverANumberTwice")),
				new Mutant("numbers not confirmed by the majority", store, "this.documents.with(WriteConcern.MAJORITY,",
						"this.documents.with(WriteConcern.W1,",
						row("Unconfirmed", "aNumberOfASequenceIsGivenToNobody")));
	}

	private static List<Mutant> optimistic() {
		String updater = "io.mongolock.mongodb.EmbeddedOptimisticUpdaterTests";
		String attempt = "mongodb/UpdateAttempt.java";
		return List.of(
				new Mutant("exception of the change tried again", "mongodb/RetriedUpdates.java",
						".includes(OvertakenException.class)", "",
						Judge.test(updater, "anExceptionOfTheChangeEndsItAtOnceEvenIfItIsOfThatKind")),
				new Mutant("overtaken taken for saved", attempt, "throw overtaken(ex);", "return changed;",
						Judge.test(updater, "whatSomebodyElseSavedMeanwhileIsNotLost")),
				new Mutant("tried again inside a transaction", attempt, "(inTransaction()) ? failure",
						"(failure == null) ? failure", Judge.test("io.mongolock.mongodb.OptimisticTransactionTests",
								"aConflictReachesTheTransactionAtOnceAsSpringHasIt")));
	}

	private static List<Mutant> documents() {
		String documents = "io.mongolock.mongodb.EmbeddedDocumentLocksTests";
		String write = "mongodb/ReleasingWrite.java";
		return List.of(
				new Mutant("document lock: version not raised", "store/mongo/ClaimPipeline.java",
						"return changed(lock, this.granted);", "return changed(lock);",
						Judge.test(documents, "aCopyFromBeforeTheGrantCannotBeSavedByCodeThatKnowsNothingOfTheLock")),
				new Mutant("document lock: saved whoever holds it", write, "Document filter = held(lease, field);",
						"Document filter = new Document(\"_id\", DocumentKey.parse(lease.key()).id());",
						Judge.test(documents, "whatAPlainSaveReplacedIsNotSaved")),
				new Mutant("document lock: saved over another version", write,
						"filter.append(written.versionField(), written.version());", "",
						Judge.test(documents, "anotherVersionIsNotSavedAndTheLockIsKept")),
				new Mutant("document lock: released though passed on", "mongodb/HeldDocument.java",
						"this.lease.end(LeaseEnd.PASSED_ON);", "",
						Judge.test(documents, "aTicketKeepsTheLockWhenTheInstanceStopsOrTheDocumentIsClosed")),
				new Mutant("document lock: ticket good for another grant", "mongodb/DocumentTickets.java",
						"holder.fence() == ticket.fence()", "holder.fence() > 0",
						Judge.test(documents, "aTicketIsGoodForItsOwnGrantAndNotForAnotherOfTheSameToken")),
				new Mutant("document lock: old time taken for that of a denial", "store/mongo/LockedCollection.java",
						"return (written) ? lock.get(LockDocument.TOUCHED_AT) : null;",
						"return lock.get(LockDocument.TOUCHED_AT);",
						Judge.test("io.mongolock.store.mongo.DocumentLockStoreCommandTests",
								"aTokenWhoseLeaseRanOutIsNoGrantToWhomSomebodyIsAhead")),
				new Mutant("document lock: lost by its own save", "core/Lease.java", "holder.suspended || ", "",
						Judge.test("io.mongolock.mongodb.DocumentLockTransactionTests", "aSaveReleasesWithTheCommit")));
	}

	private static Judge row(String rows, String method) {
		return Judge.test("io.mongolock.faults.rows." + rows + "RowsTests", method);
	}

}
