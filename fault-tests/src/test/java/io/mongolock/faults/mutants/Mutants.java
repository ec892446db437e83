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

	private static final String REQUESTS = "io.mongolock.core.RequestQueueTests";

	private static final String RELEASING = "io.mongolock.core.ReleaseDecisionTests";

	private static final String LEASE = "io.mongolock.core.LeaseTests";

	private static final String SCHEDULE = "io.mongolock.core.RenewalScheduleTests";

	private static final String TROUBLE = "io.mongolock.core.RenewalTroubleTests";

	private static final String HAND_OVER = "io.mongolock.core.HandOverTests";

	private static final String RENEWER = "io.mongolock.client.LeaseRenewerTests";

	private static final String CLOSING = "io.mongolock.client.ClosingTimesTests";

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
			.of(time(), claims(), queue(), handOvers(), renewals(), releases(), races(), statements(), transactions(),
					shutdown(), sequences(), optimistic(), documents(), methods())
			.flatMap(List::stream);
	}

	// Only random faults of a real set notice these, within minutes
	static Stream<Mutant> chaos() {
		return Stream.of(new Mutant("claims not confirmed by the majority", "MongoLockStore.acquire",
				"LockDocument answer = this.locks.execute(request, WriteConcern.MAJORITY,",
				"LockDocument answer = this.locks.execute(request, WriteConcern.W1,", Judge.chaos("overlap of ")),
				new Mutant("release of whoever holds", "LockStatements.release",
						"return pull(\"holders\", document(\"token\", string(token)));",
						"return pull(\"holders\", new BsonDocument());", Judge.chaos("overlap of ")),
				new Mutant("number of a sequence as the id of a document that has no version",
						"SequenceCallback.checkId", "if (property.isIdProperty() && ", "if (property.isTransient() && ",
						test("io.mongolock.mongodb.autoconfigure.SequenceConfigurationTests",
								"aSequenceThatIsBehindTheDataReplacesNothing")),
				new Mutant("numbers not confirmed by the majority", "MajorityCommands.send", "WriteConcern.MAJORITY,",
						"WriteConcern.W1,", Judge.chaos(" given twice: ")),
				new Mutant("guarded writes not confirmed by the majority", "GuardedWrites.confirmed",
						"WriteConcern.MAJORITY.withWTimeout(", "WriteConcern.W1.withWTimeout(",
						Judge.chaos("lost update: ")),
				new Mutant("fence reused at hand-over", "HeldLock.<init>", "from.lease.next(from.fence() + 1,",
						"from.lease.next(from.fence(),", Judge.chaos(" did not rise: ")));
	}

	private static List<Mutant> time() {
		return List.of(new Mutant("no margin", "ResolvedLockSettings.reliable", "return this.ttl.minus(this.margin);",
				"return this.ttl;", simulation("TOLD_LATE"), row("Clock", "theLeaseEndsOneMarginBeforeTheStoresDoes")),
				new Mutant("wall clock ignored", "ClockReading.elapsedSince",
						"Math.max(this.nanos - earlier.nanos, (this.millis - earlier.millis) * 1_000_000)",
						"this.nanos - earlier.nanos", simulation("TOLD_LATE"),
						row("Clock", "aHolderThatWasSuspendedHasLost")),
				new Mutant("claim counted from the answer", "AcquisitionState.answered", "holder.get(), requested,",
						"holder.get(), now,", simulation("TOLD_LATE"),
						row("Message", "aReplyThatIsLateMakesTheLeaseNoLonger")),
				new Mutant("renewal counted from the answer", "RenewalSchedule.confirmed",
						"plan.lease().renewed(requested, now)", "plan.lease().renewed(now, now)",
						simulation("TOLD_LATE"), row("Renewer", "aRenewalThatTakesLongMakesTheLeaseNoLonger")));
	}

	private static List<Mutant> claims() {
		return List.of(
				new Mutant("unknown claim not cleaned up", "AcquisitionRequests.failed",
						"this.unknown |= failure.getOutcome() == Outcome.UNKNOWN;", "", simulation("GHOST"),
						row("Message", "aClaimDeliveredAfterItsCallerGaveUpIsTakenBack")),
				new Mutant("late grant kept by nobody", "AcquisitionState.answered",
						"(holder.isPresent()) ? new GrantedTooLate() : new TooLate(isUnknown())",
						"new TooLate(isUnknown())", simulation("NEEDLESS"),
						test(TEMPLATE, "aGrantThatComesAfterTheCancelIsGivenBack")),
				new Mutant("clean-up ends with the first answer", "OrphanCleanup.answered",
						"if (!this.mayBeGrantedLate) {", "if (true) {", simulation("GHOST"),
						row("Message", "aClaimAskedAgainAndReleasedIsNotBroughtBackByItsLateTwin")),
				new Mutant("clean-up ends before a ttl has passed", "OrphanCleanup.last", "this.fraction < 1",
						"this.fraction < 4", simulation("GHOST"),
						row("Message", "aClaimDeliveredLongAfterItsCallerGaveUpIsTakenBack")),
				new Mutant("forgotten release not repeated", "LockClient.<init>",
						"store.servers().onPrimaryChange(orphans::primaryChanged);", "",
						row("ForgottenRelease", "aReleaseThatOnlyTheOldPrimaryKnewIsRepeated")),
				new Mutant("release sent to the old primary after the election not repeated", "OrphanReleaser.repeat",
						"			repeatWithin(REPEAT_PAUSE, changed);\n", "",
						test("io.mongolock.client.OrphanReleaserTests",
								"whatIsSentToTheOldPrimaryAfterTheElectionIsRepeatedToo")),
				new Mutant("lock kept by a place that cannot be left", "OrphanReleaser.ask",
						"else if (release(id, terms.operationTimeout())) {",
						"else if (this.store.leave(id, terms.operationTimeout()) | release(id, terms.operationTimeout())) {",
						test("io.mongolock.client.OrphanReleaserTests", "aPlaceThatCannotBeLeftKeepsNoLockTaken")),
				new Mutant("forgotten release repeated for an old primary", "ServerClockWatch.isElectedAnew",
						"election.compareTo(this.election) <= 0", "election.equals(this.election)",
						test("io.mongolock.store.mongo.ServerClockWatchTests", "anotherElectionIsReported")),
				new Mutant("forgotten release noted when it is answered", "OrphanReleaser.release",
						"		this.releases.add(id, now());\n		return this.store.release(id, timeout);",
						"		boolean released = this.store.release(id, timeout);\n		this.releases.add(id, now());\n		return released;",
						test("io.mongolock.client.OrphanReleaserTests",
								"aReleaseThatIsUnderwayAtTheElectionIsRepeated")),
				new Mutant("refused release repeated at growing distances", "OrphanCleanup.failed",
						"Math.min(MAX_PAUSE, this.ttlNanos / 16)", "this.ttlNanos / 8",
						test("io.mongolock.core.OrphanCleanupTests",
								"aReleaseIsRepeatedAsRenewalsAreWhileTheStoreFails"),
						row("RefusedWrites", "aLockWhoseReleaseWasRefusedIsFreeSoonAfterTheFault")),
				new Mutant("turn given twice", "WaitQueue.giveTurn", "		this.waiters.remove(first);\n", "",
						test(TEMPLATE, "theThreadsOfOneJvmSendOneWaiterToTheStoreAndAreServedInOrder")),
				new Mutant("turn kept by who left", "WaitQueue.remove",
						"		if (this.asking == waiter) {\n			this.asking = null;\n",
						"		if (this.asking == waiter) {\n", simulation("PROGRESS"),
						test("io.mongolock.core.LocalWaitQueuesTests", "theFirstMayAskAtOnceAndTheNextWhenItLeaves")));
	}

	private static List<Mutant> queue() {
		return List.of(
				new Mutant("queue: place kept after a timeout", "ClientQueues.leaveQueue",
						"			this.places.left(place);\n", "", simulation("PROGRESS"),
						test(ACQUISITION, "whoeverEndsWithoutTheLockLeavesTheLine")),
				new Mutant("queue: place kept that was to be left when the client stopped", "QueuePlaces.unsent",
						"			this.leaving.addAll(round.places());\n", "",
						test("io.mongolock.client.PlaceKeeperTests", "aPlaceThatIsAboutToBeLeftAtTheStopIsLeftByIt")),
				new Mutant("queue: wake-up taken for a grant", "AcquisitionState.turn",
						"			case QUEUED, CALLED -> ask(now);",
						"""
								case QUEUED -> ask(now);
								case CALLED -> granted(
										new Grant(new StoredHolder(this.attempt.id().leaseToken(), now.millis(), 1,
												this.attempt.owner(), java.time.Instant.now(), java.time.Instant.now(),
												this.attempt.terms().ttl()), 0, now, false, false),
										new ClaimAnswer(List.of(), List.of(), List.of(), java.time.Instant.now()), now);""",
						test(ACQUISITION, "aHintIsNoGrantAndOnlyMakesTheNextInQueueAsk")),
				new Mutant("queue: every wake-up makes everybody ask", "QueuedClaim.wakeIfAdmitted",
						"this.standing && this.seen != null && this.seen.admits(this.freed)", "this.standing",
						test(PLACES, "aReleaseLetsOnlyThoseAskWhoCouldBeAdmitted")),
				new Mutant("queue: place never refreshed", "PlaceSchedule.addRefreshes",
						"now.nanos() - this.refreshAt >= 0", "now.nanos() - this.refreshAt >= ClockReading.NEVER",
						test(PLACES, "allPlacesAreRefreshedWithOneRequestEveryThirdOfTheirLifeAndThenLookedAt")),
				new Mutant("queue: place of a waiter that does not ask refreshed", "QueuedClaim.refreshes",
						"!(this.called && this.refreshedSince) && ", "",
						test(PLACES, "aPlaceWhoseWaiterIsCalledAndDoesNotAskIsRefreshedOnceMore"),
						row("Standstill", "aWaiterWhoseThreadStandsStillHoldsUpOthersForTheLifeOfItsPlace")),
				new Mutant("queue: place of a waiter refreshed that hangs in its request", "QueuedClaim.refreshes",
						"if (!this.standing && now.nanos() - this.askedAt >",
						"if (now.nanos() - this.askedAt < 0 && now.nanos() - this.askedAt >",
						test(PLACES, "aPlaceWhoseRequestHasNoAnswerInItsTimeIsRefreshedOnceMore")),
				new Mutant("queue: place refreshed beyond the wait", "Attempt.mayAct",
						"return left(now) + this.terms.operationTimeout().toNanos() > 0;", "return true;",
						test(PLACES, "aPlaceIsNotRefreshedWhenTheWaitAndTheTimeForItsLastRequestAreOver")),
				new Mutant("requests: a turn within this JVM goes before other keys", "AsyncDriver.reason",
						" && this.acquisition.place() != null", "",
						test("io.mongolock.client.AsyncLockTests",
								"turnsWithinThisJvmDoNotGoBeforeTheFirstRequestsOfOtherKeys")),
				new Mutant("stop: forgotten releases repeated after it", "OrphanReleaser.releaseAgain",
						"		if (!this.lifecycle.beginRequest()) {\n			return 0;",
						"		if (!this.lifecycle.beginRequest() && ids.isEmpty()) {\n			return 0;",
						test("io.mongolock.client.OrphanReleaserTests", "noRequestBeginsAfterTheStop")),
				new Mutant("stop: a claim that was handed a lock not told", "ClaimSender.settle",
						"			if (!isRunning()) {\n				// Stopped",
						"			if (false) {\n				// Stopped",
						test("io.mongolock.client.AsyncLockTests", "aClaimThatIsHandedALockAtTheStopIsAnswered")),
				new Mutant("requests: who was called comes last", "RequestQueue.admit",
						"case CALLED -> this.called.add(request);", "case CALLED -> this.others.add(request);",
						test(REQUESTS, "whoWasCalledGoesFirst"),
						row("Standstill", "aClaimThatIsCalledDoesNotWaitForThoseOfBlockedDocuments")),
				new Mutant("requests: what had no answer asked as any other", "AsyncDriver.reason",
						"(this.acquisition.isUnanswered()) ? Reason.UNANSWERED : Reason.OTHER", "Reason.OTHER",
						test("io.mongolock.client.AsyncLockTests", "claimsThatHadNoAnswerLeaveThreadsToOthers")),
				new Mutant("requests: one key takes all threads", "RequestQueue", "MAX_REQUESTS / 4;", "MAX_REQUESTS;",
						test(REQUESTS, "oneKeyLeavesMostOfTheThreadsToTheOthersAndIsServedToTheEnd")),
				new Mutant("requests: what has no answer takes all threads", "RequestQueue", "MAX_REQUESTS * 3 / 4;",
						"MAX_REQUESTS;", test(REQUESTS, "whatHasNoAnswerLeavesAQuarterOfTheThreadsToTheOthers")),
				new Mutant("queue: place that does not last", "AcquisitionRequests.send",
						"this.claim.inQueue(placeTtl)", "this.claim.inQueue(java.time.Duration.ofMillis(1))",
						simulation("ORDER")),
				new Mutant("claim with a limit that is too high", "AcquisitionRequests.send", "this.claim.asFirst();",
						"this.claim.withLimit(Math.max(2, this.claim.limit()));", simulation("LIMIT")),
				new Mutant("queue: late comers pass those in the queue", "ClaimPipeline.ahead",
						"new BsonInt32(0)), this.line,", "new BsonInt32(0)), new org.bson.BsonArray(),",
						test(STORE, "waitersAreGrantedInTheOrderOfTheirArrival")));
	}

	private static List<Mutant> handOvers() {
		return List.of(
				new Mutant("fence reused at hand-over", "HeldLock.<init>", "from.lease.next(from.fence() + 1,",
						"from.lease.next(from.fence(),", simulation("FENCE"),
						test(HAND_OVER, "eachHolderHasTheNextFenceAndTheGrantKeepsItsOwn")),
				new Mutant("fences set aside beside other holders", "AcquisitionRequests.<init>",
						"(attempt.limit() == 1) ? reserve : 0", "reserve", simulation("FENCE"),
						test(HAND_OVER, "noFenceIsSetAsideBesideOtherHolders")),
				new Mutant("fences given out that the store did not set aside", "AcquisitionRequests.granted",
						"(int) Math.min(this.claim.reserve(), setAside)", "this.claim.reserve()",
						test(ACQUISITION, "noMoreFencesAreHandedOutThanTheStoreHasSetAside")),
				new Mutant("fences given out beyond those set aside", "Grant.lastFence",
						"return this.entry.fence() + this.reserve;", "return Long.MAX_VALUE;",
						test(HAND_OVER, "aTurnEndsWithItsNumber")),
				new Mutant("handed over after the deadline", "Lease.handOver",
						"boolean held = isReliable(this.state, now) && end();", "boolean held = end();",
						test(LEASE, "itIsNotHandedOverAfterItsDeadlineNorTwiceNorOnceReleased")),
				new Mutant("lease counted from the hand-over", "Lease.handOver",
						"successor.state = new State(Phase.HELD, confirmed, null);",
						"successor.state = new State(Phase.HELD, now, null);", simulation("TOLD_LATE"),
						test(LEASE, "handedOverItCountsFromTheSameRenewalForTheOneWhoHoldsItNow")),
				new Mutant("handed over with a ttl shorter than the next one relies on", "HandOver.suits",
						"terms.ttl().compareTo(from.ttl()) <= 0", "true", simulation("TOLD_LATE"),
						test(HAND_OVER, "aSuccessorThatNeedsMoreThanStandsInTheStoreAsksForIt")),
				new Mutant("handed over though the store shows another's name", "HandOver.suits",
						"Objects.equals(next.attempt().request().settings().as(), from.request().settings().as())",
						"true", test(HAND_OVER, "itIsNotHandedToOnesWhomPeopleKnowByAnotherName")),
				new Mutant("turn without end", "HandOver.mayPass",
						"now.elapsedSince(from.grant().begun()) < this.maxTime.toNanos()", "now.nanos() != 1",
						simulation("TURN"), test(HAND_OVER, "aTurnEndsWithItsTimeCountedFromTheGrant")),
				new Mutant("handed to one who had gone", "LockAcquisition.takeOver",
						"(this.state.isQueued()) ? from.handOver(this.attempt, now) : null",
						"from.handOver(this.attempt, now)",
						test("io.mongolock.core.HandOverInterleavingsTests", "whoIsCancelledKeepsNobodyWaiting")),
				new Mutant("kept by one who gave up as it was handed over", "AcquisitionState.cancel",
						"new Cancelled(end(), this.handedOver)", "new Cancelled(end(), null)", simulation("PROGRESS"),
						test("io.mongolock.core.HandOverInterleavingsTests", "whoIsCancelledKeepsNobodyWaiting")),
				new Mutant("work begun under what was lost on the way", "AcquisitionState.hold",
						"		if (held.lossReason() == null) {\n", "		if (held != null) {\n",
						simulation("BEGUN_LOST"),
						test("io.mongolock.client.LocalHandOverTests",
								"whoIsHandedALockThatIsLostBeforeItWakesAsksAnew")),
				new Mutant("not looked at what was handed over before it is held", "LockAcquisition.lookOnTheWay",
						"handed.lease().isHeld(now);", "handed.lease().remaining(now);", simulation("BEGUN_LOST")),
				new Mutant("work begun under a lock known to be lost", "LockTemplate.run",
						"			handle.assertHeld();\n", "",
						test("io.mongolock.client.LockInstrumentationTests",
								"workDoesNotBeginUnderALockThatIsKnownToBeLost")),
				new Mutant("lock freed while cancelled work goes on", "AsyncExecution.run",
						"		// No effect on a claim that has been granted\n",
						"		claim.thenAccept((handle) -> this.result.whenComplete((value, failure) -> handle.close()));\n",
						test("io.mongolock.client.AsyncLockTests",
								"aTimeoutLeavesTheLockToWorkThatHasBegunUntilItsStageEnds")),
				new Mutant("stage begun under a lock known to be lost", "AsyncExecution.begin",
						"			handle.assertHeld();\n", "",
						test("io.mongolock.client.LockInstrumentationTests",
								"workDoesNotBeginUnderALockThatIsKnownToBeLost")),
				new Mutant("loss told to who handed it over", "Lease.refused", "holder = this.entry.holder();",
						"holder = this;", test(LEASE, "aRefusalReachesWhoHoldsItByThen")));
	}

	private static List<Mutant> renewals() {
		return List.of(
				new Mutant("late renewal accepted", "Lease.confirm",
						"if (later && this.state.phase() == Phase.HELD && isReliable(this.state, now)) {",
						"if (later && this.state.phase() == Phase.HELD) {", simulation("REVIVED"),
						test(LEASE, "aRenewalConfirmedAfterTheDeadlineIsNoSuccess")),
				new Mutant("renewal without match ignored", "RenewalSchedule.answered", "if (found >= plans.size()) {",
						"if (found >= 0) {", simulation("TOLD_LATE"),
						row("Store", "aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal")),
				new Mutant("unknown renewal taken as done", "RenewalSchedule.failed",
						"batch.rest(now.nanos() + pause(batch));",
						"batch.rest(now.nanos() + pause(batch)); batch.leases().forEach((lease) -> lease.renewed(now, now));",
						simulation("TOLD_LATE"),
						row("Renewer", "aRenewalThatThrowsErrorsForEverEndsInALossThatIsTold")),
				new Mutant("refused renewal taken for a missing lease", "LeaseRequests.renewAll",
						"throw StoreFailures.ofSome(leases, ex);", "return 0;",
						row("RefusedWrites", "aLeaseWhoseRenewalsAreRefusedForAWhileIsKept")),
				new Mutant("renewal beside a refused one not counted", "RenewalSchedule.answeredInPart",
						"		answered(batch, others, found, requested, now);\n		failed(batch, now);",
						"		failed(batch, now);",
						test(TROUBLE, "refusedRenewalsLoseNoneOfTheOthersAndAreNotSentAlone")),
				new Mutant("refused renewal not tried again", "RenewalSchedule.answeredInPart",
						"		answered(batch, others, found, requested, now);\n		failed(batch, now);",
						"		answered(batch, others, found, requested, now);\n		this.underway.remove(batch);",
						test(TROUBLE, "aRefusedRenewalIsNoMissingLease")),
				new Mutant("refused renewal not told", "LeaseRenewer.ask",
						"			failed(batch, ex);\n			this.events.renewedInPart",
						"			this.events.renewedInPart",
						test(RENEWER, "aRenewalThatWasRefusedBesideOthersIsTold")),
				new Mutant("failure of an earlier renewal told of a loss", "Lease.confirm",
						"		this.renewalFailure = null;\n", "",
						test(LEASE, "whatFailedBeforeTheLastRenewalIsNotSaidOfTheLoss")),
				new Mutant("documents of one collection that are refused hide the others", "DocumentLockStore.renewAll",
						"return some.found();", "throw ex;",
						test("io.mongolock.mongodb.store.DocumentLockStoreCommandTests",
								"whatIsRefusedInOneCollectionSaysNothingOfTheOthers")),
				new Mutant("renewed on the application's threads", "LockClient.<init>", "threads.renewals()",
						"java.util.concurrent.ForkJoinPool.commonPool()",
						row("Renewer", "renewalsPassWhileTheApplicationsThreadsAreBusy")),
				new Mutant("renewed on the thread that watches", "LockClient.<init>", "threads.renewals()",
						"Runnable::run", row("Renewer", "aHolderIsToldThoughARenewalNeverReturns")),
				new Mutant("never renewed", "RenewalPlan.isWaiting", "return this.renews && this.batch == null;",
						"return false;", simulation("NEEDLESS"),
						row("Renewer", "aRenewalThatThrowsAnErrorIsTriedAgain")),
				new Mutant("first renewal counted from the answer", "RenewalSchedule.add", "lease.renewalDueAt()",
						"now.nanos() + lease.terms().renewInterval().toNanos()", simulation("NEEDLESS"),
						test(RENEWER, "aLeaseWhoseGrantTookLongIsRenewedAtOnce")),
				new Mutant("batch that hangs never divided", "RenewalSchedule.letGo",
						"				else {\n					batch.letGo(batch.part(RenewalBatch.PARTS), now);",
						"				else {\n					batch.letGo(MAX_BATCH, now);",
						simulation("NEEDLESS"), test(TROUBLE, "oneDocumentBlockedForGoodLosesItsOwnLockAlone")),
				new Mutant("renewals without bound", "RenewalSchedule.hasSlot",
						"return this.underway.size() < MAX_REQUESTS",
						"if (suspect | true) {\n return true;\n}\n return this.underway.size() < MAX_REQUESTS",
						test(TROUBLE, "manyDocumentsGoneAreFoundMissingAFewRequestsAtATime")),
				new Mutant("batch of mixed timeouts", "RenewalPlan.groups",
						"new Kind(plan.most, timeoutClass(plan.lease))", "new Kind(plan.most, 0)",
						test(SCHEDULE, "aBatchHoldsLeasesOfLikeTimeoutsAndKeepsToTheShortest")),
				new Mutant("renewal that found nothing taken for one", "HeldLock.renewed",
						"		this.lease.refused();\n		return this.lease.isHeld(now);",
						"		this.lease.refused();\n		return this.lease.renewed(requested, now);",
						test("io.mongolock.core.HeldLockTests",
								"aRenewalThatDidNotFindTheLeaseNeverLengthensItThoughItMaySayNothingYet")),
				new Mutant("lock that a save without an answer may have released relied on as before",
						"HeldLocks.resume", "renewer().registerAgain(", "renewer().register(",
						test("io.mongolock.client.LockTemplateTests",
								"aLockThatAStatementWithoutAnAnswerMayHaveEndedIsLookedForAtOnce")),
				new Mutant("refresh of places that hangs tried again an interval later", "PlaceSchedule.ended",
						"places.size() > 1 && round.hung(now)", "places.isEmpty()",
						test(PLACES, "whatOneBlockedDocumentHoldsUpIsRefreshedBeforeItsPlacesRunOut")),
				new Mutant("places looked at without bound", "PlaceSchedule.addLooks", "this.looking < MAX_LOOKS) {",
						"this.looking < Integer.MAX_VALUE) {",
						test(PLACES, "manyPlacesAreLookedAtAFewRequestsAtATime")),
				new Mutant("places take the threads of renewals", "ClientThreads.<init>",
						"2 * RenewalSchedule.MAX_REQUESTS + QueuePlaces.MAX_REQUESTS",
						"2 * RenewalSchedule.MAX_REQUESTS",
						test(RENEWER, "requestsForPlacesLeaveRenewalsTheirThreads")),
				new Mutant("loss not told in time while a save is underway", "HeldLocks.watch", "renewer().pause(",
						"renewer().unregister(", test(TEMPLATE, "aLockThatRunsOutWhileAStatementHangsIsToldInTime")),
				new Mutant("renewal that says nothing ends the watch", "RenewalSchedule.refused",
						"		if (!lease.isHeld(now)) {\n			this.plans.remove(lease);",
						"		if (!lease.isHeld(now) | true) {\n			this.plans.remove(lease);",
						test(SCHEDULE, "aLeaseOfWhichARefusalSaysNothingStillRunsOut")),
				new Mutant("watch that dies of its own failure", "LeaseRenewer.lookAndSayHowLongToPause",
						"			failed(null, ex);\n			return RETRY / 10;", "			throw ex;",
						test(RENEWER, "theWatchOutlivesAFailureOfWhatItDoesAboutAFailure")),
				new Mutant("thread that does not start ends all renewals", "LeaseRenewer",
						"			this.schedule.failed(batch, now);\n		}\n	}\n\n	private long",
						"		}\n	}\n\n	private long", test(RENEWER, "aThreadThatCannotBeStartedIsTriedAgain")));
	}

	private static List<Mutant> releases() {
		return List.of(
				new Mutant("overrun without a proof", "ReleaseDecision.needsProof", "return !this.held;",
						"return false;", simulation("OUTCOME"),
						row("Partition", "aHolderWhoseLeaseRanOutIsNotToldByAMinorityThatItOverran")),
				new Mutant("release that found nothing taken for an overrun", "ReleaseDecision.answered",
						"(ended && proved) ? released : ReleaseOutcome.LOST",
						"(ended || !this.held) ? released : ReleaseOutcome.LOST", simulation("OUTCOME"),
						test(RELEASING, "whatRanOutAsksForAProofAndIsAnOverrunOnlyWithIt")),
				new Mutant("minimum hold forgotten at release", "ReleaseDecision.keeps",
						"return !this.keptFor.isZero();", "return false;", simulation("MIN_HOLD"),
						test("io.mongolock.client.MinHoldTests",
								"aReleaseLeavesWhatIsLeftToTheLeaseAndTheCallerDoesNotWait")),
				new Mutant("minimum hold cleaned up", "OrphanCleanup.keptFor",
						"ClockReading.untilWholeMillis(this.begun.nanos() - now.nanos())", "Duration.ZERO",
						simulation("MIN_HOLD"), test("io.mongolock.core.HeldLockTests",
								"aCleanUpKeepsTheLockUntilAnsweredAndReleasesItAfterwards")));
	}

	/** What ends at the same moment as something else. */
	private static List<Mutant> races() {
		return List.of(
				new Mutant("race: stop does not await requests underway", "LockClient.stop",
						"		this.lifecycle.awaitRequests(left(until));\n", "", clients()),
				new Mutant("race: what is granted during a stop kept", "LockClient.stop",
						"		// What was granted, or took a place, meanwhile\n		this.heldLocks.abandonAll(until);\n",
						"", clients()),
				new Mutant("race: instruments run under the monitor of the successor", "HeldLocks.handOver",
						"(successor) -> handedOver(heldLock, successor), passed);",
						"(successor) -> {\n handedOver(heldLock, successor);\n passed.run();\n }, () -> {\n });",
						test("io.mongolock.client.LockInstrumentationTests",
								"whoIsCancelledByAnInstrumentAsItIsHandedTheLockIsNotGrantedIt")),
				new Mutant("race: successor of a hand-over not renewed", "HeldLocks.handedOver",
						"try { register(successor);", "try { this.held.add(successor);", clients(),
						test("io.mongolock.client.LocalHandOverTests", "whoIsHandedTheLockHasItRenewed")),
				new Mutant("race: handle closed twice lets go twice", "LeaseHandle.close",
						"if (this.closed.compareAndSet(false, true)) {", "if (!this.closed.getAndSet(true) | true) {",
						clients(), test(CLOSING, "aHandleClosedTwiceLetsGoOnce")),
				new Mutant("race: grant to a future that is over kept by nobody", "AsyncDriver.handOut",
						"				handle.close();\n", "", clients(),
						test(CLOSING, "whatIsGrantedToAFutureThatIsOverIsReleasedAtOnceWhateverItsMinimumHold")),
				new Mutant("race: minimum hold of what a future that is over was granted", "AsyncDriver.handOut",
						"				heldLock.ending().waiveMinHold();\n", "",
						test(CLOSING, "whatIsGrantedToAFutureThatIsOverIsReleasedAtOnceWhateverItsMinimumHold")),
				new Mutant("race: minimum hold of what was handed to one who had gone", "HeldLocks.pass",
						"heldLock.ending().waiveMinHold();", "",
						test(CLOSING, "whatIsHandedToOneWhoHadGoneIsReleasedWhateverItsMinimumHold")),
				new Mutant("race: lost lock shared", "LockShares.add",
						"if (!this.lease.isHeld(now) && this.lease.lossReason() != null) {",
						"if (this.lease.isHeld(now) && this.lease.lossReason() != null) {", clients(),
						test(CLOSING, "aLostLockIsNotShared")),
				new Mutant("race: handed over while stopping", "HeldLocks.handOver", "!this.lifecycle.beginClaim()",
						"!this.lifecycle.beginRequest()", test(CLOSING, "nothingIsHandedOverWhileTheClientStops")),
				new Mutant("race: grant after the close kept", "HeldLocks.granted",
						"if (this.lifecycle.isClosed()) {\n			// The",
						"if (this.held.isEmpty()) {\n			// The", clients(),
						test(CLOSING, "whatIsGrantedAfterTheCloseIsNotHeld")),
				new Mutant("race: claim that joins during a stop never stopped", "AsyncDriver.start",
						"			// Stopped while it joined: nobody else may have seen it\n			stop();\n", "",
						clients(), test(CLOSING, "aClaimThatJoinsDuringAStopIsStoppedToo")),
				new Mutant("race: loss between hand-over and registration", "ClientQueues.handedOver",
						"(held.lossReason() != null) ? this.queues.released(held.key(), held) : null", "null",
						test(HAND_OVER, "aLossBeforeItIsRegisteredKeepsNobodyWaiting")),
				new Mutant("race: handed over though it has to run out", "HoldEnd.handOver",
						"if (this.ended || this.leftToExpire) {", "if (this.ended) {",
						test(HAND_OVER, "aLockThatHasToRunOutIsNotTakenOver")),
				new Mutant("race: loss declared over a renewal confirmed at that moment", "Lease.isHeld",
						"			if (this.state.phase() != Phase.HELD || isReliable(this.state, now)) {\n				return this.state.phase() == Phase.HELD;\n			}\n",
						"", test(LEASE, "aRenewalThatIsConfirmedDuringALookCounts")),
				new Mutant("race: queue not left by a clean-up", "OrphanReleaser.ask", "if (cleanup.isInQueue()) {",
						"if (cleanup.isInQueue() && id.key().isEmpty()) {",
						test(CLOSING, "aClaimWhosePlaceMayHaveBeenTakenLeavesTheQueueAsItIsCleanedUp")),
				new Mutant("race: renewal sent after the stop", "LeaseRenewer.renew",
						"			// Stopped since it was handed over\n			return;\n", "",
						test(RENEWER, "noRenewalIsSentAfterTheStop")),
				new Mutant("race: places kept after the stop", "PlaceKeeper.leaveAll",
						"List<LeaseId> all = this.places.takeAll();", "List<LeaseId> all = List.of();",
						test(CLOSING, "placesAreLeftAtAStop")),
				new Mutant("race: place kept that a claim took while the client stopped", "QueuePlaces.takeAll",
						"this.places.values().forEach((place) -> all.add(place.id()));",
						"this.places.values().forEach((place) -> all.add(place.id()));\n		this.places.clear();",
						test("io.mongolock.core.QueuePlacesTests",
								"aPlaceIsTakenAgainWhileItsAttemptMayHaveEnteredTheQueueSince")));
	}

	private static List<Mutant> statements() {
		return List.of(new Mutant("everybody admitted", "ClaimPipeline.decide", "operator(\"$lt\", this.taken, limit)",
				"operator(\"$gt\", limit, number(0))", row("Load", "aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm")),
				new Mutant("reader beside writer", "ClaimPipeline.decide",
						"new BsonInt32(claim.limit()), this.aliveLimit,", "new BsonInt32(claim.limit()),",
						test(STORE, "waitingReadersEnterTogether")),
				new Mutant("limit of those ahead not checked", "ClaimPipeline.decide",
						"this.aliveLimit, this.aheadLimit)", "this.aliveLimit)",
						test(STORE, "readersDoNotStarveAWriter")),
				new Mutant("first claim passes those in the queue", "FastClaim",
						"operator(\"$max\", lastEnd(\"$holders\"), lastEnd(\"$queue\"))", "lastEnd(\"$holders\")",
						test(STORE, "aFirstClaimIsDeniedWhileSomebodyStandsInLine")),
				new Mutant("first claim passes holders", "FastClaim",
						"operator(\"$max\", lastEnd(\"$holders\"), lastEnd(\"$queue\"))", "lastEnd(\"$queue\")",
						row("Load", "aHerdOfWaitersIsGrantedOneAtATimeWithoutAStorm")),
				new Mutant("repeated claim sent as a first one", "AcquisitionRequests.send",
						"(this.repeated) ? this.claim : this.claim.asFirst()", "this.claim.asFirst()",
						test(ACQUISITION, "aDeniedClaimEntersTheQueueAtOnceAndAsksOnceMoreWhenTheWaitIsOver")),
				new Mutant("release of whoever holds", "LockStatements.release",
						"return pull(\"holders\", document(\"token\", string(token)));",
						"return document(\"$set\", document(\"holders\", new org.bson.BsonArray()));",
						row("Message", "aReleaseWhoseReplyIsLostNeverFreesTheNextHolder")),
				new Mutant("overrun proved by a later grant", "LockStatements.release",
						".append(\"fence\", new BsonInt64(fence))", "",
						test(STORE, "aLaterGrantOfItsOwnTokenProvesNothing")),
				new Mutant("renewal of whoever holds", "LockStatements.heldBy",
						"return document(\"_id\", id, this.path + \"holders.token\", string(token));",
						"return document(\"_id\", id, this.path + \"holders.limit\", document(\"$gte\", new BsonInt32(0)));",
						row("Message", "aRenewalDeliveredAfterTheTakeOverDoesNotTouchTheNewHolder")),
				new Mutant("renewal brings back", "LeaseRequests.renew",
						"locks.updateOne(filter, this.statements.renewal()).getMatchedCount() != 0",
						"locks.updateOne(filter, this.statements.renewal(), new com.mongodb.client.model.UpdateOptions().upsert(true)).getMatchedCount() != 0",
						row("StoreClock", "aHolderWhoseDocumentTheTtlIndexRemovedHasLost")),
				new Mutant("claim not confirmed by the majority", "MongoLockStore.acquire",
						"LockDocument answer = this.locks.execute(request, WriteConcern.MAJORITY,",
						"LockDocument answer = this.locks.execute(request, WriteConcern.W1,",
						row("Partition", "aClientThatIsSetToOneMemberStillAsksTheMajority")),
				new Mutant("renewal not confirmed by the majority", "LeaseRequests.renewAll",
						"all(\"renew\", WriteConcern.MAJORITY,", "all(\"renew\", WriteConcern.W1,",
						row("Partition", "aHolderThatIsIsolatedWithThePrimaryIsToldBeforeTheNextGrant")),
				new Mutant("fences set aside ahead of the clock", "ClaimStatements.granted",
						"operator(\"$lt\", end, next)", "operator(\"$gt\", next, number(0))",
						test(STORE, "noFencesAreSetAsideWithoutRoomBelowTheClock")),
				new Mutant("fences set aside below a document that is gone", "ClaimStatements", "number(1L << 53)",
						"number(0)", test(STORE, "aFirstClaimIsGrantedALockThatNobodyEverAskedFor")),
				new Mutant("fence begins anew with the document", "ClaimStatements.<init>",
						"operator(\"$multiply\", document(\"$toLong\", this.now), number(1024))", "number(1)",
						row("Store", "aHolderWhoseCollectionIsDroppedIsToldAtItsNextRenewal")));
	}

	private static List<Mutant> transactions() {
		return List.of(
				new Mutant("guarded write with the application's write concern", "GuardedUpdate.run",
						"collection.withWriteConcern(concern).updateOne(", "collection.updateOne(",
						row("Unconfirmed", "aGuardedWriteThatNobodyElseHasWhenThePrimaryDiesWasNotAccepted")),
				new Mutant("requests joined to the caller's transaction", "LockCollection.<init>",
						"this.locks = Objects.requireNonNull(", JOINED + "Objects.requireNonNull(",
						test(SPRING + "MongoTransactionTests", "noRequestForALockJoinsATransactionOfItsDatabase")),
				new Mutant("released before the caller's commit", "TransactionLocks.keep",
						"TransactionSynchronizationManager.isActualTransactionActive()", "heldLock.limit() < 0",
						test(SPRING + "TransactionTests", "theLockIsHeldUntilTheOutermostCommit")),
				new Mutant("commit under a lost lock", "LockCommitListener.beforeCommit",
						"LockContext.find(LockCommitListener::refuseIfLost);", "",
						test(SPRING + "TransactionTests", "aLockThatIsLostBeforeTheCommitRollsBack")),
				new Mutant("caller's commit under a lost lock", "TransactionLocks.beforeCommit",
						"this.shared.forEach((heldLock) -> heldLock.shares().assertMayCommit(this.heldLocks.now()));",
						"", test(SPRING + "TransactionTests", "aLockThatIsLostBeforeTheCommitRollsBack")),
				new Mutant("released after a commit without an answer", "LockCommitListener.letExpireAfter",
						"LockContext.find(LockCommitListener::letExpire);", "",
						test(SPRING + "TransactionTests", "aLockWhoseCommitHasNoAnswerIsNotReleasedButRunsOut")));
	}

	private static List<Mutant> shutdown() {
		return List.of(
				new Mutant("kept after the shutdown", "HeldLocks.abandonAll", "this.releaser.releaseAll(left, until);",
						"", test(SPRING + "ShutdownTests", "closedWhileHeldTheLockIsFreeAndItsHolderTold")),
				new Mutant("nothing released by a stop that may take forever", "LockClient.stop",
						"(budget.compareTo(MAX_STOP) < 0) ? budget : MAX_STOP",
						"Duration.ofNanos(java.util.concurrent.TimeUnit.NANOSECONDS.convert(budget))",
						test(TEMPLATE, "aStopThatMayTakeForeverReleasesWhatIsHeld")));
	}

	private static List<Mutant> sequences() {
		return List.of(
				new Mutant("block counted from the wrong end", "SequenceRange.endingAt",
						"new SequenceRange(last - size + 1, last)", "new SequenceRange(last, last + size - 1)",
						test(SEQUENCES, "eachInstanceGivesOutItsOwnBlock")),
				new Mutant("more numbers than the block has left", "ReservedNumbers.next", "this.left.size() < count",
						"this.left.size() == 0",
						test(SEQUENCES, "severalNumbersAreOneRowWithoutAGapAndComeFromTheBlockIfTheyFit")),
				new Mutant("lost answer counted as the block that stands there", "RepeatedCommand.send",
						"timed = withTimeLeft(timed);", "return timed.find().first();",
						row("Sequence", "aLostMessageIsAGapAtMostAndNeverANumberTwice")),
				new Mutant("numbers not confirmed by the majority", "MajorityCommands.send", "WriteConcern.MAJORITY,",
						"WriteConcern.W1,", row("Unconfirmed", "aNumberOfASequenceIsGivenToNobody")));
	}

	private static List<Mutant> optimistic() {
		String updater = "io.mongolock.mongodb.EmbeddedOptimisticUpdaterTests";
		return List.of(
				new Mutant("exception of the change tried again", "RetriedUpdates.<init>",
						".includes(OvertakenException.class)", "",
						test(updater, "anExceptionOfTheChangeEndsItAtOnceEvenIfItIsOfThatKind")),
				new Mutant("overtaken taken for saved", "UpdateAttempt.save", "		if (!matched) {\n			throw",
						"		if (changed == null) {\n			throw",
						test(updater, "whatSomebodyElseSavedMeanwhileIsNotLost")),
				new Mutant("saved over another version", "UpdateAttempt.write",
						".append(written.versionField(),\n				written.version());", ";",
						test(updater, "whatSomebodyElseSavedMeanwhileIsNotLost")),
				new Mutant("what is not written any more stays", "DocumentChange.between", "if (!unset.isEmpty()) {",
						"if (set == null) {",
						test(updater, "whatIsNotMappedStaysAsItIsAndWhatIsNotWrittenAnyMoreGoes")),
				new Mutant("tried again inside a transaction", "UpdateAttempt.overtaken", "(inTransaction()) ? failure",
						"(failure == null) ? failure", test("io.mongolock.mongodb.OptimisticTransactionTests",
								"aConflictReachesTheTransactionAtOnceAsSpringHasIt")));
	}

	private static List<Mutant> documents() {
		String documents = "io.mongolock.mongodb.EmbeddedDocumentLocksTests";
		String tenants = "io.mongolock.mongodb.TenantDocumentLocksTests";
		String transactions = "io.mongolock.mongodb.DocumentLockTransactionTests";
		String statements = "io.mongolock.mongodb.store.DocumentLockStoreCommandTests";
		String unanswered = "io.mongolock.mongodb.UnansweredDocumentWritesTests";
		return List.of(
				new Mutant("document lock: held though a write may have released it", "HeldDocument.unanswered",
						"				this.lease.doubt();\n", "",
						test(unanswered, "whatMayHaveReleasedTheLockLeavesNobodyWhoHoldsIt")),
				new Mutant("document lock: what may be stored taken for not stored", "HeldDocument.known",
						"if (this.inDoubt) {", "if (this.loaded == null) {",
						test(unanswered, "whatWasStoredWithoutAnAnswerIsTakenBackByTheNextSave")),
				new Mutant("document lock: deadline moved by what is not committed", "HeldDocument.writtenAndKept",
						"				this.renewalOfTransaction = this.renewal;\n",
						"				this.renewal.run();\n",
						test(unanswered, "soDoesATransactionThatLastedLongerWithItsCommit")),
				new Mutant("document lock: lost though saved and kept when nobody had come", "Lease.found",
						" || this.state.reason() == LossReason.DEADLINE)", ")",
						test(unanswered, "aSaveThatKeepsALockWhichHadRunOutHoldsItAnew"),
						test(unanswered, "soDoesATransactionThatLastedLongerWithItsCommit")),
				new Mutant("document lock: renewed after a write outside of the transaction that keeps it",
						"HeldDocument.goOn", "		if (!isKept()) {\n			this.lease.resume();",
						"		if (this.lease != null) {\n			this.lease.resume();",
						test(transactions, "aWriteOutsideOfTheTransactionThatKeepsTheLockLetsNoRenewalBegin")),
				new Mutant("document lock: transactions of a thread held to what it once resumed",
						"DocumentLocks.resume",
						"		return guarded(new HeldDocument<>(locked, locked.read(document), handle, ticket, handle));",
						"""
										HeldDocument<T> it = guarded(
												new HeldDocument<>(locked, locked.read(document), handle, ticket, handle));
										this.transactions.locked(it, this.keeper);
										return it;
								""",
						test(transactions, "aDocumentThatWasResumedAndNotClosedLeavesTheTransactionsOfItsThreadAlone")),
				new Mutant("document lock: version not raised", "ClaimPipeline.grant",
						"return changed(lock, this.granted);", "return changed(lock);",
						test(documents, "aCopyFromBeforeTheGrantCannotBeSavedByCodeThatKnowsNothingOfTheLock")),
				new Mutant("document lock: saved whoever holds it", "ReleasingWrite.held",
						"Document filter = held(ticket, field);",
						"Document filter = new Document(\"_id\", DocumentKey.parse(ticket.key()).id());",
						test(documents, "whatAPlainSaveReplacedIsNotSaved"),
						test(documents, "aSaveThatKeepsTheLockIsRefusedIfItIsLostAndLeavesTheVersionAsItWas"),
						test(documents, "aDeletionIsRefusedIfTheLockIsLostOrTheDocumentWasWritten")),
				new Mutant("document lock: saved over what a late claim of its token was granted",
						"ReleasingWrite.held", ".append(field + \".holders.fence\", ticket.fence())", "",
						test(documents, "whatAClaimOfItsTokenThatCameLateWasGrantedIsNotSaved")),
				new Mutant("document lock: saved over another version", "ReleasingWrite.held",
						"filter.putAll(version);", "", test(documents, "anotherVersionIsNotSavedAndTheLockIsKept"),
						test(documents, "aSaveThatKeepsTheLockIsRefusedIfItIsLostAndLeavesTheVersionAsItWas"),
						test(documents, "aDeletionIsRefusedIfTheLockIsLostOrTheDocumentWasWritten")),
				new Mutant("document lock: ticket for the editing time of a lock that is gone",
						"DocumentTickets.lengthen", "if (!this.store.lengthen(ticket.lease(), ttl, this.timeout)) {",
						"if (this.store.lengthen(ticket.lease(), ttl, this.timeout) && ttl.isZero()) {",
						test(documents, "aLockThatIsGoneMakesNoTicketForTheEditingTime")),
				new Mutant("document lock: saved and kept without a renewal", "ReleasingWrite.saveAndKeep",
						"new Document(change).append(\"$currentDate\", renewed)", "new Document(change)",
						test(documents, "aSaveThatKeepsTheLockWritesTheEntityAndRenewsIt")),
				new Mutant("document lock: renewed while a transaction has saved and kept it",
						"DocumentLocks.saveAndKeep", "this.keeper.keeps(held);", "",
						test(transactions, "aSaveThatIsToKeepTheLockAndIsRefusedLeavesItToTheTransaction")),
				new Mutant("document lock: rolled back to what the transaction saved first",
						"HeldDocument.writtenInTransaction", "this.takeBacks.push(takeBack);",
						"this.takeBacks.add(takeBack);",
						test(transactions, "aRollbackTakesBackAllThatWasSavedWithTheLockKept")),
				new Mutant("document lock: what is not saved after a rollback", "DocumentLocks.saveAndKeep",
						"					held.loaded(before);", "",
						test(transactions, "aRollbackTakesBackAllThatWasSavedWithTheLockKept")),
				new Mutant("document lock: released though passed on", "HeldDocument.passesOn",
						"this.lease.end(LeaseEnd.PASSED_ON);", "",
						test(documents, "aTicketKeepsTheLockWhenTheInstanceStopsOrTheDocumentIsClosed")),
				new Mutant("document lock: ticket good for another grant", "DocumentTickets.holder",
						"holder.fence() == ticket.fence()", "holder.fence() > 0",
						test(documents, "aTicketIsGoodForItsOwnGrantAndNotForAnotherOfTheSameToken")),
				new Mutant("document lock: old time taken for that of a denial", "LockedCollection.writtenAt",
						"return (written) ? lock.get(LockDocument.TOUCHED_AT) : null;",
						"return lock.get(LockDocument.TOUCHED_AT);",
						test(statements, "aDenialThatChangesNothingAsksForTheTimeOfTheServer")),
				new Mutant("document lock: of another tenant's database", "SingleDatabase.check",
						"if (!now.equals(this.name)) {", "if (now.isEmpty()) {",
						test(tenants, "aClientThatChoosesTheDatabaseIsRefusedByEachCallOfAnother")),
				new Mutant("document lock: by a factory that chooses the database", "SingleDatabase.choice",
						"if (choosing.isPresent()) {", "if (type == Object.class) {",
						test(tenants, "aFactoryThatChoosesTheDatabaseItselfIsRefusedAtTheStart")),
				new Mutant("document lock: ticket good for another tenant's collection", "DocumentLocks.type",
						".collection().equals(locked.collection())", ".collection().endsWith(\"\")",
						test(tenants, "aTicketOfAnotherTenantIsRefused")),
				new Mutant("document lock: lease that is merely seen taken for a grant", "DocumentLockStore.inQueue",
						"answer == null || answer.grantTo(claim.id().leaseToken()).isPresent()", "answer == null",
						test(statements, "aClaimThatWasGrantedWithoutAnAnswerBeginsItsLeaseAnewAlsoBehindOthers")),
				new Mutant("document lock: goes before the queue", "DocumentLockStore.inQueue",
						"if (isBehindOthers(queue, claim.id())) {", "if (false) {",
						test(statements, "whoWaitsIsGrantedInOrderAndLeavesTheLine")),
				new Mutant("document lock: place kept after the grant", "DocumentLockStore.inQueue",
						"this.queues.leaveAfterGrant(claim.id(), time.left());", "",
						test(statements, "whoWaitsIsGrantedInOrderAndLeavesTheLine")),
				new Mutant("document lock: hold ends normally though what ran within it has freed the lock",
						"LeaseHandle.close", "if (!this.ended) {", "if (this.ended) {",
						test(documents, "aHoldWhoseLockWasReleasedBySaveWithinItEndsAsLost")),
				new Mutant("document lock: forged ticket told who edits", "DocumentTickets.renew",
						"throw notHeld(ticket);", "throw gone(ticket, look(ticket.key()), \"\");",
						test(documents, "aForgedTicketSaysNothingOfAnyDocument")),
				new Mutant("document lock: version of a subclass not raised", "LockedType.read",
						"		requireRaised(entity.getClass());", "",
						test(documents, "aSubclassWithAVersionOfWhichTheTypeKnowsNothingIsRefused")),
				new Mutant("document lock: ticket made of what stands in the document", "LeaseSecrets.token",
						"Arrays.copyOf(digest.digest(secret), BYTES)", "Arrays.copyOf(secret, BYTES)",
						test(documents, "whatStandsInTheDocumentMakesNoTicket")),
				new Mutant("document lock: property lost to the lock's field", "LockedType.checkProperties",
						"else if (property.isWritable() && ", "else if (property.isIdProperty() && ",
						test("io.mongolock.mongodb.LockedEntitiesTests",
								"aPropertyOfItsOwnInTheFieldOfTheLockIsRefused")),
				new Mutant("document lock: another key for another kind of number", "DocumentKey.<init>",
						"		id = canonical(id);\n", "",
						test("io.mongolock.mongodb.LockedEntitiesTests",
								"anIdMayBeAnotherKindOfNumberThanItsProperty")),
				new Mutant("document lock: default not saved", "LockedType.read",
						"		mapped.keySet().retainAll(stored.keySet());\n", "",
						test("io.mongolock.mongodb.LockedEntitiesTests", "aDefaultThatWasNotStoredIsSaved")),
				new Mutant("document lock: name with a dot taken for a path", "EntityWriter.refusePath", "if (key && (",
						"if (!key && (",
						test("io.mongolock.mongodb.LockedEntitiesTests",
								"aFieldWithADotInItsNameIsRefusedBeforeItIsLocked")),
				new Mutant("document lock: version kept raised by a save that was refused",
						"ReleasingWrites.writeInTransaction",
						"		catch (RuntimeException | Error ex) {\n			takeBack.run();",
						"		catch (RuntimeException | Error ex) {",
						test(documents, "whoWasRefusedCannotOverwriteWhatAnotherSavedMeanwhileByAPlainSave")),
				new Mutant("document lock: version kept raised by a rollback", "HeldDocument.completed",
						"			this.takeBacks.forEach(Runnable::run);", "",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"aRollbackTakesBackTheVersionInTheObject")),
				new Mutant("document lock: renewed while a transaction keeps it", "HeldDocument.beginKeep",
						"if (renewing) {\n			this.lease.suspend();", "if (renewing) {",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"whatTheThreadHasLockedIsNotRenewedWhileItsTransactionRunsAndFromThenOnAgain")),
				new Mutant("document lock: renewed after a save that was refused in a transaction", "HeldDocument.goOn",
						"if (!isKept()) {", "if (this.state == State.OPEN) {",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"aSaveThatIsRefusedInsideATransactionLeavesTheLockToIt")),
				new Mutant("document lock: not renewed after a transaction", "HeldDocument.endKeep",
						"if (this.state != State.WRITING && this.takeBacks.isEmpty()) {\n			this.lease.resume();",
						"if (this.state == null) {",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"whatTheThreadHasLockedIsNotRenewedWhileItsTransactionRunsAndFromThenOnAgain")),
				new Mutant("document lock: committed though lost inside a transaction", "HeldDocument.goOn",
						"			this.lease.pause();", "			this.lease.suspend();",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"whatIsLockedInsideATransactionIsNotRenewedUntilItsEndAndStillRefusesTheCommitIfItIsLost")),
				new Mutant("document lock: transaction committed though it is gone",
						"DocumentTransactions.beforeCommit",
						"			List.copyOf(documents.keySet()).forEach(HeldDocument::assertMayCommit);\n", "",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"aTransactionOfAnotherKindIsNotCommittedEitherIfALockIsGone")),
				new Mutant("document lock: released though a part of the commit failed",
						"ReleasingWrites.afterCompletion", "status == STATUS_COMMITTED && !this.committed",
						"status == STATUS_UNKNOWN",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"aCommitThatFailsInAPartOfTheTransactionLeavesTheLockToRunOut")),
				new Mutant("document lock: transaction committed that could not keep it", "TransactionKeeper.begun",
						"				TransactionSynchronizationManager.registerSynchronization(new Refusal(explained(ex, held)));\n",
						"",
						test("io.mongolock.mongodb.DocumentLockTransactionTests",
								"aTransactionThatCouldNotKeepALockIsNotCommitted")),
				new Mutant("optimistic update: confirmed otherwise than the template's own", "UpdateAttempt.write",
						"TemplateWriteConcern.applied(this.template, documents, this.type, filter, change)",
						"documents",
						test("io.mongolock.mongodb.EmbeddedOptimisticUpdaterTests",
								"anUpdateIsConfirmedAsTheTemplatesOwnAndNeverWithoutAnAnswer")),
				new Mutant("optimistic update: default not saved", "UpdateAttempt.write",
						"		before.keySet().retainAll(stored.keySet());\n", "",
						test("io.mongolock.mongodb.EmbeddedOptimisticUpdaterTests",
								"aDefaultThatIsNotStoredIsSavedWithTheNextChange")),
				new Mutant("document lock: guard passed by an optimistic update", "UpdateAttempt.save",
						"			this.writer.lifecycle().refuseIfGuarded(this.type, written.document(), this.collection);\n",
						"",
						test("io.mongolock.mongodb.PlainSavesTests",
								"anUpdateOfWhatAnotherHasLockedIsRefusedWhereTheTypeSaysSo")),
				new Mutant("document lock: guard without a version", "PlainSaves.isGuarded", "if (guarded && mappings",
						"if (!guarded && mappings",
						test("io.mongolock.mongodb.PlainSavesTests",
								"aGuardedTypeWithoutAVersionIsRefusedAtTheStartAndByItsFirstSave")),
				new Mutant("document lock: dropped by a replacement without an id", "PlainSaves.refuseIfUnnamed",
						"isCalledBy(\"replace\", \"findAndReplace\")", "isCalledBy(\"save\")",
						test("io.mongolock.mongodb.PlainSavesTests",
								"aReplacementThatNamesNoIdIsRefusedWhereItMayBeThatOfALockedDocument")),
				new Mutant("document lock: version kept raised by a plain save that was refused",
						"PlainSaves.onBeforeSave", "			takeBackVersion(type, entity);\n", "",
						test("io.mongolock.mongodb.PlainSavesTests",
								"aSaveThatIsRefusedLeavesTheVersionInTheObjectAsItWas")),
				new Mutant("document lock: dropped by a plain save under it", "PlainSaves.onBeforeSave",
						"refuseIfLockedHere(document, collection);", "",
						test("io.mongolock.mongodb.PlainSavesTests", "aPlainSaveUnderTheLockOfAMethodIsRefused")),
				new Mutant("document lock: lost by its own save", "Lease.refused", "holder.suspended || ", "",
						test("io.mongolock.mongodb.DocumentLockTransactionTests", "aSaveReleasesWithTheCommit")));
	}

	private static List<Mutant> methods() {
		return List.of(
				new Mutant("minimum hold: its end taken for a take-over", "BulkRequests.expire",
						"this.statements.keep(Objects", "this.statements.expiry(Objects",
						test(STORE, "aLeaseThatEndedAsItWasMeantToIsTakenOverFromNobody")),
				new Mutant("document lock: a death after the editing time taken for an end", "LeaseRequests.lengthen",
						"this.statements.expiry(ttl)", "this.statements.keep(ttl)",
						test("io.mongolock.store.mongo.DocumentLockStoreCommandTests",
								"aLeaseThatGoesOnWithAnotherLengthIsNotAboutToEnd")),
				new Mutant("method: another class asked for than by the pointcut", "LockInterceptor.invoke",
						"(target != null) ? target.getClass()",
						"(target != null) ? org.springframework.aop.support.AopUtils.getTargetClass(target)",
						test("io.mongolock.autoconfigure.LockedRepositoryTests",
								"aLockOnTheInterfaceGuardsItsMethodsAndThoseItInherits")),
				new Mutant("messages: the command with its token", "DriverMessage.withoutValues",
						"return VALUES.matcher(COMMAND.matcher(message).replaceAll(\" command $1\")).replaceAll(\"\");",
						"return message;",
						test("io.mongolock.store.mongo.StoreFailuresTests",
								"aWarningIsShortAndHasNothingOfTheCommandInIt")),
				new Mutant("method: locked as another interface says", "LockDeclarations.onType",
						"all.stream().filter((one) -> has(type(one))).toList();",
						"all.subList(0, all.isEmpty() ? 0 : 1);",
						test("io.mongolock.annotation.AnnotationLockOperationSourceTests",
								"eachOfTwoInterfacesMeansItsOwnMethods")));
	}

	private static Judge simulation(String violation) {
		return Judge.simulation(violation);
	}

	private static Judge clients() {
		return Judge.clients();
	}

	private static Judge test(String test, String method) {
		return Judge.test(test, method);
	}

	private static Judge row(String rows, String method) {
		return test("io.mongolock.faults.rows." + rows + "RowsTests", method);
	}

}
