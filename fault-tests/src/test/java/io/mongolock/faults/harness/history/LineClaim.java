package io.mongolock.faults.harness.history;

import java.io.Serializable;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;

/**
 * What the store answered to one request for a lock: the lock as it stood right after it.
 *
 * @param key the key
 * @param token the attempt that asked
 * @param granted whether it holds the lock
 * @param holders who holds it
 * @param line who stands in line, the first one first
 */
public record LineClaim(String key, String token, boolean granted, List<Entry> holders,
		List<Entry> line) implements Serializable {

	public static LineClaim of(Claim claim, ClaimAnswer answer) {
		String token = claim.id().leaseToken();
		return new LineClaim(claim.id().key(), token, answer.grantTo(token).isPresent(),
				answer.holders()
					.stream()
					.filter((holder) -> holder.isAlive(answer.now()))
					.map((holder) -> new Entry(holder.leaseToken(), holder.limit()))
					.toList(),
				answer.queue()
					.stream()
					.filter((waiter) -> waiter.isAlive(answer.now()))
					.map((waiter) -> new Entry(waiter.leaseToken(), waiter.limit()))
					.toList());
	}

	boolean isInLine() {
		return this.line.stream().anyMatch((entry) -> entry.token().equals(this.token));
	}

	Set<String> ahead() {
		return this.line.stream()
			.map(Entry::token)
			.takeWhile((other) -> !other.equals(this.token))
			.collect(Collectors.toSet());
	}

	/**
	 * A holder, or a place in line.
	 */
	public record Entry(String token, int limit) implements Serializable {

	}

}
