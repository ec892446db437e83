package io.mongolock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.ReleaseRequest;
import io.mongolock.actuate.LockDescriptors.HolderDescriptor;
import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LockDescriptors.LocksDescriptor;
import io.mongolock.actuate.LockDescriptors.PreviousDescriptor;
import io.mongolock.actuate.LockDescriptors.ReleasedDescriptor;
import io.mongolock.actuate.LockDescriptors.RequestedDescriptor;
import io.mongolock.actuate.LockDescriptors.WaiterDescriptor;
import io.mongolock.core.LocalLease;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link LocksEndpoint} and {@link LocksEndpointWebExtension}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocksEndpointTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private static final ReleaseAnswer RELEASED = new ReleaseAnswer(true, false);

	private static final SecurityContext USER = user("alice", "OPERATOR");

	private final LockStore store = Mockito.mock();

	private final List<Object> events = new ArrayList<>();

	private final LockOperations locks = Mockito.mock();

	private final LockClock clock = Mockito.mock();

	private final Map<LeaseId, LocalLease> here = new HashMap<>();

	private final List<String> taken = new ArrayList<>();

	private final LocksEndpoint endpoint = endpoint(this.store, this.events::add);

	private final List<StoredLock> held = new ArrayList<>();

	@BeforeEach
	void listsHeldLocks() {
		BDDMockito.given(this.store.find(Mockito.anyString(), Mockito.eq(TIMEOUT)))
			.willAnswer(
					(call) -> this.held.stream().filter((lock) -> lock.key().equals(call.getArgument(0))).findFirst());
		BDDMockito.given(listing()).willAnswer((call) -> {
			LockFilter filter = call.getArgument(0);
			String after = call.getArgument(1);
			int most = call.getArgument(2);
			int scanned = call.getArgument(3);
			List<StoredLock> some = this.held.stream()
				.filter((lock) -> lock.key().startsWith(filter.prefix()) && lock.key().compareTo(after) > 0)
				.limit(scanned)
				.toList();
			return LockPage.of(some.stream().filter(filter::matches).toList(), most,
					(some.size() < scanned) ? null : some.get(scanned - 1).key());
		});
	}

	private LockPage listing() {
		return this.store.list(Mockito.any(), Mockito.anyString(), Mockito.anyInt(), Mockito.eq(10_000), Mockito.any());
	}

	@Test
	void anUnusableKeyIsAWrongRequestAndNoErrorOfTheServer() {
		IllegalArgumentException wrong = new IllegalArgumentException("too long, says the test");
		BDDMockito.given(this.store.find("k", TIMEOUT)).willThrow(wrong);
		BDDMockito.given(this.locks.requestRelease("k", "", "alice")).willThrow(wrong);
		BDDMockito.given(this.store.list(new LockFilter("k", "", Duration.ZERO), "", 100, 10_000, TIMEOUT))
			.willThrow(wrong);
		String[] key = { "k" };
		Stream
			.<ThrowingCallable>of(() -> this.endpoint.lock(key), () -> this.endpoint.locks("k", null, null, null, null),
					() -> this.endpoint.release(USER, key, null, null),
					() -> this.endpoint.requestRelease(USER, key, ""))
			.forEach((call) -> assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(call)
				.withMessage("too long, says the test"));
		assertThat(this.events).isEmpty();
	}

	@Test
	void heldLocksAreShownWithTheirHoldersAndWaiters() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		LockDescriptor lock = all().locks().get(0);
		assertThat(lock.key()).isEqualTo("order:1");
		assertThat(lock.holders())
			.extracting(HolderDescriptor::heldFor, HolderDescriptor::remaining, HolderDescriptor::ttl,
					HolderDescriptor::instance, HolderDescriptor::limit)
			.containsExactly(
					tuple(Duration.ofSeconds(5), Duration.ofSeconds(25), Duration.ofSeconds(30), "shop 1 1", 1));
		assertThat(lock.holders().get(0).owner()).contains("shop 1", "host-7", "4711");
		assertThat(lock.waiting()).as("a place that ran out is none").hasSize(1);
		assertThat(lock.waiting().get(0).owner()).contains("next");
		assertThat(lock.waiting().get(0).instance()).isEqualTo("next 1");
		assertThat(all().toString()).as("anybody with the token can release the lock").doesNotContain("secret");
	}

	@Test
	void thePreviousHolderIsShownUnlessItStillHolds() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		assertThat(this.endpoint.lock(new String[] { "order:1" })).isNotNull()
			.extracting(LockDescriptor::previous, InstanceOfAssertFactories.list(PreviousDescriptor.class))
			.containsExactly(new PreviousDescriptor("died 3 (host host-3, pid 42, thread main)", "died 3", 6,
					NOW.minusSeconds(95), NOW.minusSeconds(80)));
	}

	@Test
	void thousandsAreShownPageByPage() {
		IntStream.range(0, 1200).forEach((i) -> hold("%04d".formatted(i), "shop", Duration.ZERO));
		List<String> seen = new ArrayList<>();
		String after = null;
		do {
			LocksDescriptor page = this.endpoint.locks(null, null, null, after, 1000);
			assertThat(page.locks()).hasSizeLessThanOrEqualTo(1000);
			page.locks().forEach((lock) -> seen.add(lock.key()));
			after = page.next();
		}
		while (after != null);
		assertThat(seen).hasSize(1200).doesNotHaveDuplicates().isSorted();
		assertThat(all().locks()).hasSize(100);
	}

	@Test
	void locksAreFilteredByPrefixHolderAndAge() {
		hold("order:1", "shop 1", Duration.ofMinutes(5));
		hold("order:2", "shop 2", Duration.ofSeconds(1));
		hold("report:1", "shop 1", Duration.ofSeconds(1));
		assertThat(keys(this.endpoint.locks("order:", null, null, null, null))).containsExactly("order:1", "order:2");
		assertThat(keys(this.endpoint.locks(null, "shop 1", null, null, null))).containsExactly("order:1", "report:1");
		assertThat(keys(this.endpoint.locks(null, null, "1m", null, null))).containsExactly("order:1");
		assertThat(keys(this.endpoint.locks("order:", null, null, null, 1))).containsExactly("order:1");
	}

	@Test
	void aFilterThatMatchesFewOfManyTakesARequestForEachTenThousandUntilItHasLookedAtAHundredThousand() {
		BDDMockito.given(listing())
			.willAnswer((call) -> new LockPage(List.of(), call.getArgument(1, String.class) + "n"));
		assertThat(this.endpoint.locks(null, "rare", null, null, 1))
			.isEqualTo(new LocksDescriptor(List.of(), "n".repeat(10), 100_000));
		verifyRequests(10);
	}

	@Test
	void aPageThatIsFullOrTheLastDoesNotSayHowManyWereLookedAt() {
		IntStream.range(0, 10_500)
			.forEach((i) -> hold("%05d".formatted(i), (i % 10_400 == 0) ? "rare" : "shop", Duration.ZERO));
		LocksDescriptor full = this.endpoint.locks(null, "rare", null, null, 1);
		assertThat(keys(full)).containsExactly("00000");
		assertThat(full).extracting(LocksDescriptor::next, LocksDescriptor::scanned).containsExactly("00000", null);
		verifyRequests(1);
		LocksDescriptor last = this.endpoint.locks(null, "rare", null, null, 3);
		assertThat(keys(last)).containsExactly("00000", "10400");
		assertThat(last).extracting(LocksDescriptor::next, LocksDescriptor::scanned).containsOnlyNulls();
	}

	@Test
	void aLookThatTakesTooLongEndsWithWhereToGoOnAndAmongHowManyItLooked() {
		BDDMockito.given(listing())
			.willAnswer((call) -> new LockPage(List.of(), call.getArgument(1, String.class) + "n"));
		BDDMockito.given(this.clock.nanoTime()).willReturn(0L, 0L, 0L, 0L, TIMEOUT.toNanos());
		assertThat(this.endpoint.locks(null, "rare", null, null, 1))
			.isEqualTo(new LocksDescriptor(List.of(), "nn", 20_000));
	}

	@Test
	void whenTheLastRequestOfALookTakesTooLongThenWhatWasFoundIsShown() {
		BDDMockito.given(listing())
			.willReturn(new LockPage(List.of(), "n"))
			.willThrow(new LockStoreException("", Outcome.UNKNOWN, "too slow", null));
		BDDMockito.given(this.clock.nanoTime()).willReturn(0L, 0L, 0L, 0L, TIMEOUT.toNanos());
		assertThat(this.endpoint.locks(null, "rare", null, null, 1))
			.isEqualTo(new LocksDescriptor(List.of(), "n", 10_000));
	}

	@Test
	void theNextRequestOfALookHasTheTimeThatIsLeft() {
		IntStream.range(0, 10_500).forEach((i) -> hold("%05d".formatted(i), "shop", Duration.ZERO));
		BDDMockito.given(this.clock.nanoTime()).willReturn(0L, 0L, 0L, Duration.ofSeconds(1).toNanos());
		this.endpoint.locks(null, "rare", null, null, 1);
		Mockito.verify(this.store)
			.list(new LockFilter("", "rare", Duration.ZERO), "09999", 1, 10_000, TIMEOUT.minusSeconds(1));
	}

	@Test
	void theLocksOfSeveralStoresAreOneListThatGoesOnWhereTheFirstOfThemWasCut() {
		List.of("a", "d", "b").forEach((key) -> hold(key, "shop", Duration.ZERO));
		StoredLock elsewhere = this.held.remove(2);
		LockStore other = Mockito.mock();
		BDDMockito
			.given(other.list(Mockito.any(), Mockito.anyString(), Mockito.anyInt(), Mockito.anyInt(), Mockito.any()))
			.willAnswer((call) -> (call.getArgument(1, String.class).isEmpty()) ? new LockPage(List.of(elsewhere), "b")
					: new LockPage(List.of(), null));
		BDDMockito.given(this.store.keyOrder()).willReturn(Comparator.naturalOrder());
		LocksEndpoint endpoint = endpoint(other);
		assertThat(keys(endpoint.locks("x~", null, null, null, null))).containsExactly("x~a", "x~b", "x~d");
		LocksDescriptor first = endpoint.locks("x~", null, null, null, 2);
		assertThat(keys(first)).containsExactly("x~a", "x~b");
		assertThat(keys(endpoint.locks("x~", null, null, first.next(), 2))).containsExactly("x~d");
	}

	@Test
	void theLocksOfSeveralStoresAreInTheOrderOfTheirStores() {
		BDDMockito.given(this.store.keyOrder()).willReturn(Comparator.comparing(Integer::valueOf));
		List.of("9", "30", "2", "100").forEach((key) -> hold(key, "shop", Duration.ZERO));
		LockPage elsewhere = new LockPage(List.copyOf(this.held.subList(2, 4)), null);
		this.held.subList(2, 4).clear();
		LockStore other = Mockito.mock();
		BDDMockito.given(other.list(new LockFilter("", "", Duration.ZERO), "", 3, 10_000, TIMEOUT))
			.willReturn(elsewhere);
		LocksDescriptor page = endpoint(other).locks("x~", null, null, null, 3);
		assertThat(keys(page)).containsExactly("x~2", "x~9", "x~30");
		assertThat(page.next()).isEqualTo("x~30");
	}

	private LocksEndpoint endpoint(LockStore other) {
		LockExtension extension = Mockito.mock();
		BDDMockito.given(extension.operatorPrefix()).willReturn("x~");
		BDDMockito.given(extension.clients()).willReturn(List.of(client(this.store), client(other)));
		return new LocksEndpoint(client(this.store), this.here::get, TIMEOUT, this.events::add, this.clock,
				List.of(extension));
	}

	@Test
	void whereNothingCanBeFoundNothingIsAsked() {
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.NEVER, Set.of());
		assertThat(locks(web, "shop")).isEmpty();
		Mockito.verifyNoInteractions(this.store);
	}

	private void verifyRequests(int count) {
		Mockito.verify(this.store, Mockito.times(count))
			.list(Mockito.any(), Mockito.anyString(), Mockito.anyInt(), Mockito.anyInt(), Mockito.any());
	}

	@Test
	void waitersWithoutAPlaceInTheStoreAreCounted() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		assertThat(all().locks().get(0).waitingHere()).isEqualTo("order:1".length());
	}

	@Test
	void aKeyMayContainSlashes() {
		hold("file:/a/b", "shop", Duration.ZERO);
		LockDescriptor lock = this.endpoint.lock(new String[] { "file:", "a", "b" });
		assertThat(lock).isNotNull();
		assertThat(lock.key()).isEqualTo("file:/a/b");
		assertThat(this.endpoint.lock(new String[] { "nobody" })).isNull();
	}

	@Test
	void aHolderIsAskedToReleaseAndThatIsAudited() {
		BDDMockito.given(this.locks.requestRelease("file:/a", "deployment", "alice")).willReturn(1);
		assertThat(this.endpoint.requestRelease(USER, new String[] { "file:", "a" }, "deployment").asked())
			.isEqualTo(1);
		assertThat(this.events).singleElement()
			.asString()
			.contains("principal=alice", "MONGO_LOCK_RELEASE_REQUESTED", "file:/a", "deployment");
	}

	@Test
	void whereNobodyWasAskedNothingIsAudited() {
		assertThat(this.endpoint.requestRelease(USER, new String[] { "k" }, "deployment").asked()).isZero();
		assertThat(this.events).isEmpty();
	}

	@Test
	void theAuthorOfAReleaseRequestAndTheNoteOfAHolderAreShownOnlyToUsersWhoMaySeeOwners() {
		StoredHolder asked = new StoredHolder("secret", 7, 1, new LockOwner("shop", "1", "host", 1, ""), NOW, NOW,
				Duration.ofSeconds(30), new ReleaseRequest("deployment", "admin", NOW), false, Duration.ZERO,
				"charging card");
		StoredLock lock = new StoredLock("order:1", List.of(asked), List.of(), List.of(), 7, NOW);
		assertThat(HolderDescriptor.of(asked, lock, null, true).releaseRequest()).isEqualTo(asked.releaseRequest());
		assertThat(HolderDescriptor.of(asked, lock, null, false).releaseRequest()).asString()
			.contains("deployment")
			.doesNotContain("admin");
		assertThat(HolderDescriptor.of(asked, lock, null, true).note()).isEqualTo("charging card");
		assertThat(HolderDescriptor.of(asked, lock, null, false).note()).isEqualTo("******");
	}

	@Test
	void aHolderWhoseLeaseMayBeKeptThoughNobodyHoldsTheLockIsToldApartUntilItIsRecalled() {
		StoredHolder lingers = new StoredHolder("secret", 7, 1, new LockOwner("shop", "1", "host", 1, ""), NOW, NOW,
				Duration.ofSeconds(30), null, false, Duration.ofSeconds(10), "");
		this.held.add(new StoredLock("order:1", List.of(lingers), List.of(), List.of(), 7, NOW));
		this.held.add(new StoredLock("order:2", List.of(lingers), List.of(), List.of(), 7, NOW, "secret"));
		hold("order:3", "shop", Duration.ofSeconds(1));
		assertThat(all().locks()).extracting((lock) -> lock.holders().get(0).mayBeIdle())
			.containsExactly(true, false, false);
	}

	@Test
	void aLeaseThatThisInstanceKeepsIsIdleSinceThenAndOneThatItUsesIsNot() {
		StoredHolder lingers = new StoredHolder("secret", 7, 1, new LockOwner("shop", "1", "host", 1, ""), NOW, NOW,
				Duration.ofSeconds(30), null, false, Duration.ofSeconds(10), "");
		for (String key : List.of("order:1", "order:2", "order:3")) {
			this.held.add(new StoredLock(key, List.of(lingers), List.of(), List.of(), 7, NOW));
		}
		this.here.put(new LeaseId("order:1", "secret"), new LocalLease(Duration.ofSeconds(4)));
		this.here.put(new LeaseId("order:2", "secret"), new LocalLease(null));
		assertThat(all().locks()).flatExtracting(LockDescriptor::holders)
			.extracting(HolderDescriptor::mayBeIdle, HolderDescriptor::idleSince)
			.containsExactly(tuple(false, NOW.minusSeconds(4)), tuple(false, null), tuple(true, null));
	}

	@Test
	void aReleaseByForceEndsTheHoldsThatWereSeenAndNamesItsUser(CapturedOutput output) {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		BDDMockito.given(this.store.release(new LeaseId("order:1", "secret order:1"), TIMEOUT)).willReturn(RELEASED);
		assertThat(this.endpoint.release(USER, new String[] { "order:1" }, "hangs\nsince noon", null))
			.isEqualTo(new ReleasedDescriptor("order:1", 1));
		assertThat(this.taken).as("said to the client").containsExactly("order:1, fence 7");
		assertThat(this.events).hasSize(1);
		assertThat(((AuditApplicationEvent) this.events.get(0)).getAuditEvent().toString())
			.contains("principal=alice", LocksEndpoint.RELEASED_BY_FORCE, "order:1", "shop 1", "since noon")
			.doesNotContain("secret");
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("alice released lock 'order:1' by force, reason: ", "shop 1", "fence 7", "hangs\\u000Asince noon")
			.doesNotContain("secret");
	}

	@Test
	void aReleaseThatNamesFencesLeavesTheLockToOthers() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		BDDMockito.given(this.store.release(Mockito.any(), Mockito.any())).willReturn(RELEASED);
		assertThat(this.endpoint.release(USER, new String[] { "order:1" }, null, 6L))
			.isEqualTo(new ReleasedDescriptor("order:1", 0));
		Mockito.verify(this.store, Mockito.never()).release(Mockito.any(), Mockito.any());
		assertThat(this.endpoint.release(USER, new String[] { "order:1" }, null, 7L))
			.isEqualTo(new ReleasedDescriptor("order:1", 1));
	}

	@Test
	void whereNothingWasReleasedNothingIsAudited() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		BDDMockito.given(this.store.release(Mockito.any(), Mockito.any())).willReturn(new ReleaseAnswer(false, false));
		assertThat(this.endpoint.release(USER, new String[] { "order:1" }, null, null))
			.isEqualTo(new ReleasedDescriptor("order:1", 0));
		assertThat(this.events).isEmpty();
		assertThat(this.taken).isEmpty();
	}

	@Test
	void aHoldThatTheStoreDidNotEndIsNotReportedAsReleased(CapturedOutput output) {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		for (Outcome outcome : List.of(Outcome.REFUSED, Outcome.NOT_EXECUTED)) {
			BDDMockito.willThrow(new LockStoreException("order:1", outcome, "no", null))
				.given(this.store)
				.release(Mockito.any(), Mockito.any());
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.endpoint.release(USER, new String[] { "order:1" }, null, null));
		}
		assertThat(this.events).isEmpty();
		assertThat(output).doesNotContain("by force");
	}

	@Test
	void aLeaseThatRanOutIsNotReleased() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		StoredLock lock = this.held.remove(0);
		this.held.add(new StoredLock(lock.key(), lock.holders(), List.of(), List.of(), 7, NOW.plusSeconds(60)));
		assertThat(this.endpoint.release(USER, new String[] { "order:1" }, null, null))
			.isEqualTo(new ReleasedDescriptor("order:1", 0));
		Mockito.verify(this.store, Mockito.never()).release(Mockito.any(), Mockito.any());
	}

	@Test
	void anAuditThatFailsHidesNeitherTheLogLineNorTheAnswer(CapturedOutput output) {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		LocksEndpoint endpoint = endpoint(this.store, (event) -> {
			throw new IllegalStateException("the audit, says the test");
		});
		BDDMockito.given(this.locks.requestRelease("order:1", "soon", "alice")).willReturn(1);
		assertThat(endpoint.requestRelease(USER, new String[] { "order:1" }, "soon").asked()).isEqualTo(1);
		BDDMockito.given(this.store.release(Mockito.any(), Mockito.any())).willReturn(RELEASED);
		assertThat(endpoint.release(USER, new String[] { "order:1" }, null, null))
			.isEqualTo(new ReleasedDescriptor("order:1", 1));
		LockStoreException failure = new LockStoreException("order:1", Outcome.UNKNOWN, "no answer", null);
		BDDMockito.willThrow(failure).given(this.store).release(Mockito.any(), Mockito.any());
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> endpoint.release(USER, new String[] { "order:1" }, null, null))
			.isSameAs(failure);
		assertThat(output).contains("alice asks the holders to release lock 'order:1'",
				"alice released lock 'order:1' by force", "the audit, says the test");
	}

	@Test
	void anAddressWithAPathAndAKeyIsRefused() {
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.ALWAYS, Set.of());
		String[] path = { "teamA:1" };
		String why = "The address names lock 'teamA:1', but a parameter names lock 'teamB:1'. Name only one";
		refused(web.lock(USER, path, "teamB:1"), why);
		refused(web.release(USER, path, "teamB:1", null, null), why);
		refused(web.requestRelease(USER, path, "teamB:1", "soon"), why);
		Mockito.verifyNoInteractions(this.store, this.locks);
	}

	@Test
	void anUnknownUserIsCalledAnonymous() {
		assertThat(LocksEndpoint.nameOf(SecurityContext.NONE)).isEqualTo("anonymous");
	}

	@Test
	void aUserWithNoneOfTheRolesMayNotRelease() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		BDDMockito.given(this.store.release(Mockito.any(), Mockito.any())).willReturn(RELEASED);
		String[] key = { "order:1" };
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.ALWAYS, Set.of("OPERATOR"));
		for (SecurityContext other : List.of(SecurityContext.NONE, user("bob", "AUDITOR"))) {
			assertThat(web.mayRelease(other)).isFalse();
			assertThat(web.release(other, key, null, null, null).getStatus()).isEqualTo(403);
			assertThat(web.requestRelease(other, key, null, "soon").getStatus()).isEqualTo(403);
		}
		Mockito.verify(this.store, Mockito.never()).release(Mockito.any(), Mockito.any());
		Mockito.verifyNoInteractions(this.locks);
		assertThat(web.mayRelease(USER)).isTrue();
		assertThat(web.release(USER, key, null, null, null).getBody()).isEqualTo(new ReleasedDescriptor("order:1", 1));
	}

	@Test
	void aKeyOfAnyCharactersIsAParameter() {
		String key = "a%/;\\\n..//b";
		hold(key, "shop 1", Duration.ofSeconds(5));
		BDDMockito.given(this.store.release(new LeaseId(key, "secret " + key), TIMEOUT)).willReturn(RELEASED);
		BDDMockito.given(this.locks.requestRelease(key, "soon", "alice")).willReturn(1);
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.ALWAYS, Set.of());
		assertThat(web.locks(USER, key, null, null, null, null, null).getBody()).asString().contains(key);
		assertThat(web.requestReleaseOf(USER, key, "soon").getBody()).isEqualTo(new RequestedDescriptor(key, 1));
		assertThat(web.releaseOf(USER, key, null, null).getBody()).isEqualTo(new ReleasedDescriptor(key, 1));
	}

	@Test
	void aReleaseByForceOfAnUnknownKeyIsNotFound() {
		assertThat(this.endpoint.release(USER, new String[] { "nobody" }, null, null)).isNull();
		assertThat(this.events).isEmpty();
	}

	@Test
	void ownersAreHiddenFromUsersWhoMayNotSeeThem() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.WHEN_AUTHORIZED, Set.of());
		LockDescriptor lock = locks(web, null).get(0);
		assertThat(lock.holders()).extracting(HolderDescriptor::owner, HolderDescriptor::instance)
			.containsOnly(tuple(SanitizableData.SANITIZED_VALUE, SanitizableData.SANITIZED_VALUE));
		assertThat(lock.waiting()).extracting(WaiterDescriptor::owner, WaiterDescriptor::instance)
			.containsOnly(tuple(SanitizableData.SANITIZED_VALUE, SanitizableData.SANITIZED_VALUE));
		assertThat(lock.previous()).extracting(PreviousDescriptor::owner, PreviousDescriptor::instance)
			.containsOnly(tuple(SanitizableData.SANITIZED_VALUE, SanitizableData.SANITIZED_VALUE));
		assertThat(web.lock(SecurityContext.NONE, new String[] { "order:1" }, null).getBody()).isEqualTo(lock);
		assertThat(locks(web, "shop")).as("nor found out by asking").isEmpty();
	}

	@Test
	void ownersAreShownToUsersWhoMaySeeThem() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.ALWAYS, Set.of());
		assertThat(locks(web, "shop")).hasSize(1);
		LockDescriptor lock = (LockDescriptor) web.lock(SecurityContext.NONE, new String[] { "order:1" }, null)
			.getBody();
		assertThat(lock.holders().get(0).owner()).contains("shop 1");
	}

	@Test
	void aStoreThatDoesNotAnswerIsNoErrorOfThisServer() {
		LockStoreException down = new LockStoreException("k", Outcome.NOT_EXECUTED, "no db1", null);
		LockStore store = Mockito.mock(LockStore.class, (call) -> {
			throw down;
		});
		BDDMockito.given(this.locks.requestRelease("k", "soon", "anonymous")).willThrow(down);
		LocksEndpoint endpoint = endpoint(store, this.events::add);
		String[] key = { "k" };
		for (Show shown : List.of(Show.ALWAYS, Show.NEVER)) {
			LocksEndpointWebExtension web = new LocksEndpointWebExtension(endpoint, shown, Set.of());
			assertThat(List.of(web.locks(SecurityContext.NONE, null, null, null, null, null, null),
					web.lock(SecurityContext.NONE, key, null),
					web.requestRelease(SecurityContext.NONE, key, null, "soon"),
					web.release(SecurityContext.NONE, key, null, null, null)))
				.allSatisfy((answer) -> {
					assertThat(answer.getStatus()).isEqualTo(503);
					assertThat(answer.getBody()).asString()
						.contains((shown == Show.ALWAYS) ? "no db1" : "MongoDB does not answer");
				});
		}
	}

	@Test
	void aWrongRequestIsAnsweredWithTheValueTheLimitAndTheWayOut() {
		String[] path = { "k" };
		BDDMockito.given(this.locks.requestRelease("k", "", "anonymous"))
			.willThrow(new IllegalArgumentException("A reason of 0 characters"));
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.NEVER, Set.of());
		refused(web.requestRelease(SecurityContext.NONE, path, null, null), "A reason of 0 characters");
		refused(web.requestReleaseOf(SecurityContext.NONE, "k", ""), "A reason of 0 characters");
		refused(web.requestReleaseOf(SecurityContext.NONE, null, "soon"),
				"The request names no lock. Name the lock in the path");
		refused(web.releaseOf(SecurityContext.NONE, null, null, null),
				"The request names no lock. Name the lock in the path");
		BDDMockito.given(this.store.find("", TIMEOUT)).willThrow(new IllegalArgumentException("The key is empty"));
		refused(web.locks(SecurityContext.NONE, "", null, null, null, null, null), "The key is empty");
		Mockito.verify(this.store, Mockito.never()).release(Mockito.any(), Mockito.any());
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, 1001 })
	void aLimitOutOfBoundsIsRefused(int limit) {
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.NEVER, Set.of());
		refused(web.locks(SecurityContext.NONE, null, null, null, null, null, limit),
				"limit is " + limit + ", but must be from 1 to 1000. ");
	}

	@ParameterizedTest
	@CsvSource({ "-1s, negative", "5000, Write 5000ms", "soon, for example 5m or PT5M" })
	void aTimeThatIsNegativeOrNoneOrHasNoUnitIsRefused(String heldFor, String wayOut) {
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.NEVER, Set.of());
		refused(web.locks(SecurityContext.NONE, null, null, null, heldFor, null, null), "heldFor=" + heldFor);
		refused(web.locks(SecurityContext.NONE, null, null, null, heldFor, null, null), wayOut);
	}

	@Test
	void aTimeThatIsEmptyIsAny() {
		hold("order:1", "shop 1", Duration.ZERO);
		assertThat(keys(this.endpoint.locks(null, null, "", null, null))).containsExactly("order:1");
	}

	private static void refused(WebEndpointResponse<OperationResponseBody> answer, String why) {
		assertThat(answer.getStatus()).isEqualTo(400);
		assertThat(answer.getBody()).asString().startsWith("ErrorDescriptor[error=").contains(why);
	}

	@Test
	void aKeyThatWasNeverClaimedHasNoBody() {
		LocksEndpointWebExtension web = new LocksEndpointWebExtension(this.endpoint, Show.ALWAYS, Set.of());
		String[] key = { "nobody" };
		assertThat(web.lock(SecurityContext.NONE, key, null)).extracting("status", "body").containsExactly(404, null);
		assertThat(web.release(SecurityContext.NONE, key, null, null, null)).extracting("status", "body")
			.containsExactly(204, null);
	}

	@Test
	void aReleaseByForceThatFailsHalfWayIsAuditedToo() {
		hold("order:1", "shop 1", Duration.ofSeconds(5));
		BDDMockito.given(this.store.release(new LeaseId("order:1", "secret order:1"), TIMEOUT))
			.willThrow(new LockStoreException("order:1", Outcome.UNKNOWN, "no answer", null));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.endpoint.release(USER, new String[] { "order:1" }, null, null));
		assertThat(((AuditApplicationEvent) this.events.get(0)).getAuditEvent().toString())
			.contains(LocksEndpoint.RELEASED_BY_FORCE, "order:1");
	}

	private static SecurityContext user(String name, String role) {
		SecurityContext user = Mockito.mock();
		BDDMockito.given(user.getPrincipal()).willReturn(() -> name);
		BDDMockito.given(user.isUserInRole(role)).willReturn(true);
		return user;
	}

	private static List<LockDescriptor> locks(LocksEndpointWebExtension web, @Nullable String holder) {
		return ((LocksDescriptor) web.locks(SecurityContext.NONE, null, null, holder, null, null, null).getBody())
			.locks();
	}

	private LocksEndpoint endpoint(LockStore store, ApplicationEventPublisher events) {
		return new LocksEndpoint(client(store), this.here::get, TIMEOUT, events, this.clock, List.of());
	}

	private StoreClient client(LockStore store) {
		return new StoreClient(store, this.locks, String::length,
				(key, holder) -> this.taken.add(key + ", fence " + holder.fence()));
	}

	private LocksDescriptor all() {
		return this.endpoint.locks(null, null, null, null, null);
	}

	private static List<String> keys(LocksDescriptor page) {
		return page.locks().stream().map(LockDescriptor::key).toList();
	}

	private void hold(String key, String application, Duration heldFor) {
		LockOwner owner = new LockOwner(application, "1", "host-7", 4711, "main");
		StoredHolder holder = new StoredHolder("secret " + key, 7, 1, owner, NOW.minus(heldFor), NOW.minus(heldFor),
				Duration.ofSeconds(30).plus((heldFor.toSeconds() > 30) ? heldFor : Duration.ZERO));
		StoredHolder before = new StoredHolder("secret before", 6, 1, new LockOwner("died", "3", "host-3", 42, "main"),
				NOW.minusSeconds(95), NOW.minusSeconds(80), Duration.ofSeconds(30));
		StoredHolder done = new StoredHolder("secret done", 5, 1, new LockOwner("done", "4", "host-3", 42, "main"),
				NOW.minusSeconds(95), NOW.minusSeconds(80), Duration.ofSeconds(30), null, true, Duration.ZERO, "");
		StoredLock lock = new StoredLock(key, List.of(holder), List.of(place("gone", 10), place("next", 1)),
				List.of(holder, before, done), 7, NOW);
		this.held.add(lock);
	}

	private static StoredWaiter place(String application, long age) {
		return new StoredWaiter("secret", 1, new LockOwner(application, "1", "host-7", 4711, "main"),
				NOW.minusSeconds(age), Duration.ofSeconds(5));
	}

}
