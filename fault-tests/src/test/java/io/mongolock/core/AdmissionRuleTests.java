package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredLock;
import io.mongolock.test.InMemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AdmissionRule} against the model of the store, which has the rule in
 * words of its own.
 */
class AdmissionRuleTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final List<Integer> LIMITS = List.of(1, 1, 2, 3, Integer.MAX_VALUE);

	private static final LockOwner OWNER = new LockOwner("", "", "", 0, "");

	private final InMemoryLockStore store = new InMemoryLockStore(() -> Instant.EPOCH);

	private final List<Attempt> holders = new ArrayList<>();

	private final List<Attempt> waiters = new ArrayList<>();

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void whenTheRuleAdmitsAClaimThenTheStoreGrantsItAndElseNot(long seed) {
		Random random = new Random(seed);
		int[] answers = new int[2];
		for (int step = 0; step < 3_000; step++) {
			switch (random.nextInt(4)) {
				case 0 -> release(random);
				case 1 -> leave(random);
				case 2 -> askAgain(random, answers);
				default -> ask(attempt("t" + step, LIMITS.get(random.nextInt(LIMITS.size()))), answers);
			}
		}
		assertThat(answers[0]).as("denied").isGreaterThan(100);
		assertThat(answers[1]).as("granted").isGreaterThan(100);
	}

	private void release(Random random) {
		if (!this.holders.isEmpty()) {
			this.store.release(this.holders.remove(random.nextInt(this.holders.size())).id(), TIMEOUT);
		}
	}

	private void leave(Random random) {
		if (!this.waiters.isEmpty()) {
			this.store.leave(this.waiters.remove(random.nextInt(this.waiters.size())).id(), TIMEOUT);
		}
	}

	private void askAgain(Random random, int[] answers) {
		if (!this.waiters.isEmpty()) {
			Attempt attempt = this.waiters.get(random.nextInt(this.waiters.size()));
			StoredLock lock = this.store.lookAll(List.of(attempt.id()), TIMEOUT).get(0);
			QueuePosition seen = Objects.requireNonNull(QueuePosition.of(attempt, lock));
			boolean granted = ask(attempt, answers);
			assertThat(seen.admits(0)).isEqualTo(granted);
			assertThat(seen.releasesNeeded() == 0).isEqualTo(granted);
			assertThat(seen.opensIn().isZero()).isEqualTo(granted);
		}
	}

	private boolean ask(Attempt attempt, int[] answers) {
		int place = this.waiters.indexOf(attempt);
		AdmissionRule rule = AdmissionRule.of(attempt.limit(), this.holders.stream().mapToInt(Attempt::limit));
		for (Attempt ahead : (place < 0) ? this.waiters : this.waiters.subList(0, place)) {
			rule = rule.behind(ahead.limit());
		}
		boolean granted = this.store
			.acquire(new Claim(attempt.id(), attempt.limit(), 0, TTL, OWNER, TTL, false, Duration.ZERO), TIMEOUT)
			.grantTo(attempt.id().leaseToken())
			.isPresent();
		assertThat(rule.admits()).as("%s of %s behind %s and %s", rule, attempt.id(), this.holders, this.waiters)
			.isEqualTo(granted);
		answers[(granted) ? 1 : 0]++;
		if (granted) {
			this.waiters.remove(attempt);
			this.holders.add(attempt);
		}
		else if (place < 0) {
			this.waiters.add(attempt);
		}
		return granted;
	}

	private static Attempt attempt(String token, int limit) {
		return new Attempt(LockRequest.of("k"), new LeaseId("k", token), limit, OWNER, ConfiguredSettings.NONE.terms(),
				new ClockReading(0, 0));
	}

}
