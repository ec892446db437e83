package io.mongolock.faults.harness.history;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;

/**
 * Judges by what the store answered whether grants followed the queue: a claim that was
 * granted a lock has passed nobody who stood before it and still does, unless there was
 * room for all of them; and who has no place has passed everybody. Not thread-safe.
 */
public final class QueueCheck {

	private final Map<String, Set<String>> ahead = new HashMap<>();

	private final Map<String, Integer> waited = new HashMap<>();

	private final List<String> passings = new ArrayList<>();

	// All answers, in their order for each attempt
	public QueueCheck(List<Answer> history) {
		history.forEach(this::add);
	}

	private void add(Answer claim) {
		if (claim.granted()) {
			grant(claim);
		}
		else if (claim.isInQueue()) {
			this.ahead.put(claim.token(), claim.ahead());
		}
	}

	private void grant(Answer grant) {
		Set<String> ahead = this.ahead.remove(grant.token());
		if (ahead != null && !ahead.isEmpty()) {
			this.waited.merge(grant.key(), 1, Integer::sum);
		}
		List<Answer.Entry> passed = grant.queue()
			.stream()
			.filter((entry) -> ahead == null || ahead.contains(entry.token()))
			.toList();
		int limit = Stream.concat(grant.holders().stream(), passed.stream())
			.mapToInt(Answer.Entry::limit)
			.min()
			.orElseThrow();
		if (!passed.isEmpty() && grant.holders().size() + passed.size() > limit) {
			this.passings
				.add("On '" + grant.key() + "' " + grant.token() + " passed " + passed + " beside " + grant.holders());
		}
	}

	// All grants out of turn
	public List<String> passings() {
		return this.passings;
	}

	// How many were granted a lock after they had stood in the queue behind others
	public int waited(String key) {
		return this.waited.getOrDefault(key, 0);
	}

	/**
	 * What the store answered to one request for a lock: who holds it right after that,
	 * and who stands in the queue, the first one first.
	 */
	public record Answer(String key, String token, boolean granted, List<Entry> holders,
			List<Entry> queue) implements Serializable {

		public static Answer of(Claim claim, ClaimAnswer answer) {
			String token = claim.id().leaseToken();
			return new Answer(claim.id().key(), token, answer.grantTo(token).isPresent(),
					answer.lock()
						.holders()
						.stream()
						.filter((holder) -> holder.isAlive(answer.lock().now()))
						.map((holder) -> new Entry(holder.leaseToken(), holder.limit()))
						.toList(),
					answer.lock()
						.queue()
						.stream()
						.filter((waiter) -> waiter.isAlive(answer.lock().now()))
						.map((waiter) -> new Entry(waiter.leaseToken(), waiter.limit()))
						.toList());
		}

		boolean isInQueue() {
			return this.queue.stream().anyMatch((entry) -> entry.token().equals(this.token));
		}

		Set<String> ahead() {
			return this.queue.stream()
				.map(Entry::token)
				.takeWhile((other) -> !other.equals(this.token))
				.collect(Collectors.toSet());
		}

		// A holder, or a place in the queue
		public record Entry(String token, int limit) implements Serializable {

		}

	}

}
