package io.mongolock.faults.spec;

import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.faults.spec.Walk.SpecDocument;
import io.mongolock.faults.spec.Walk.SpecEntry;
import io.mongolock.faults.spec.Walk.Step;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A walk of the specification, sent to a store step by step. A tick is an hour, so that
 * it does not matter how long a request takes: time passes in that the document is
 * written an hour older, its fences included, as nobody can set the clock of a server. A
 * failover is played by the document as the majority had it.
 */
final class Replay {

	private static final Duration TICK = Duration.ofHours(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	/** What the configuration of the walks calls a lock without limit. */
	private static final int NO_LIMIT = 9;

	private final LockStore store;

	private final MongoCollection<Document> documents;

	private final Lengths lengths;

	private final String key;

	private final Map<Integer, Long> grants = new TreeMap<>();

	private final Map<Integer, Long> highest = new TreeMap<>();

	private long ticks;

	private @Nullable Document stable;

	Replay(LockStore store, MongoCollection<Document> documents, Lengths lengths, String key) {
		this.store = store;
		this.documents = documents;
		this.lengths = lengths;
		this.key = key;
	}

	int run(Walk walk) {
		int statements = 0;
		SpecDocument before = SpecDocument.NOTHING;
		for (int i = 0; i < walk.steps().size(); i++) {
			Step step = walk.steps().get(i);
			String where = walk.name() + ", step " + (i + 1) + ": " + step.did() + " on " + before;
			statements += (play(step, before, where)) ? 1 : 0;
			assertAgrees(step.after(), where);
			if (step.op().equals("claim") && !before.isGrantedTo(step.token())
					&& step.after().isGrantedTo(step.token())) {
				assertFencesGiven(step.after(), where);
			}
			before = step.after();
		}
		return statements;
	}

	private boolean play(Step step, SpecDocument before, String where) {
		switch (step.op()) {
			case "start", "local" -> {
			}
			case "tick" -> pass(1);
			case "delete" -> {
				this.documents.deleteOne(Filters.eq(this.key));
				this.stable = null;
				pass(1);
			}
			case "failover" -> {
				write(this.stable);
				pass(step.number("step"));
			}
			default -> {
				assertThat(send(step)).as(where).isEqualTo(isDone(step, before));
				if (List.of("claim", "renew", "prove").contains(step.op())) {
					this.stable = read();
				}
				return true;
			}
		}
		return false;
	}

	private boolean send(Step step) {
		LeaseId id = new LeaseId(this.key, step.token());
		return switch (step.op()) {
			case "claim" -> this.store.acquire(claim(id, step), TIMEOUT).grantTo(id.leaseToken()).isPresent();
			case "renew" -> this.store.renew(id, TIMEOUT);
			case "release" -> this.store.release(id, TIMEOUT).ended();
			case "prove" -> this.store.releaseGrant(id,
					this.grants.getOrDefault(step.number("fence"), 0L) - aged(this.ticks), TIMEOUT);
			case "refresh" -> !this.store.refreshAll(List.of(id), TIMEOUT).isEmpty();
			case "leave" -> this.store.leave(id, TIMEOUT);
			default -> throw new IllegalArgumentException(step.op());
		};
	}

	// What the specification says of the same
	private static boolean isDone(Step step, SpecDocument before) {
		return switch (step.op()) {
			case "claim" -> step.after().isGrantedTo(step.token());
			case "prove" -> !step.after().equals(before);
			case "refresh", "leave" -> before.queues(step.token());
			default -> before.holds(step.token());
		};
	}

	private Claim claim(LeaseId id, Step step) {
		int limit = step.number("limit");
		return new Claim(id, (limit == NO_LIMIT) ? Integer.MAX_VALUE : limit, step.number("reserve"),
				(step.is("place")) ? TICK.multipliedBy(this.lengths.place()) : null,
				new LockOwner("spec", "1", "localhost", 1, "main"), TICK.multipliedBy(this.lengths.lease()),
				step.is("first"), Duration.ZERO);
	}

	private void assertAgrees(SpecDocument spec, String where) {
		StoredLock lock = this.store.find(this.key, TIMEOUT).orElse(null);
		if (lock == null) {
			assertThat(spec).as(where).isEqualTo(SpecDocument.NOTHING);
			return;
		}
		long shift = aged(this.ticks);
		assertThat(lock.holders()).as(where)
			.extracting((holder) -> entry(holder.leaseToken(), holder.limit(),
					left(holder.renewedAt().plus(holder.ttl()).toEpochMilli() - lock.now().toEpochMilli(), 0)))
			.isEqualTo(withoutFence(spec.holders()));
		assertThat(lock.queue()).as(where)
			.extracting((waiter) -> entry(waiter.leaseToken(), waiter.limit(),
					left(waiter.renewedAt().plus(waiter.ttl()).toEpochMilli() - lock.now().toEpochMilli(),
							this.lengths.place() * (1 - StoredWaiter.STAYS))))
			.isEqualTo(withoutFence(spec.queue()));
		assertSame(this.highest, spec.fence(), lock.fence() + shift, where);
		for (int i = 0; i < spec.holders().size(); i++) {
			SpecEntry holder = spec.holders().get(i);
			assertSame(this.grants, holder.fence(), lock.holders().get(i).fence() + shift, where);
		}
	}

	// The first grant of a tick goes by the clock; the clock of a server has moved on
	// before the next, for which it may have room where the specification has none
	private void assertFencesGiven(SpecDocument spec, String where) {
		if (spec.fence() % this.lengths.grain() == 0) {
			StoredLock lock = this.store.find(this.key, TIMEOUT).orElseThrow();
			StoredHolder granted = lock.holders().get(lock.holders().size() - 1);
			SpecEntry holder = spec.holders().get(spec.holders().size() - 1);
			assertThat(lock.fence()).as(where + ": by the clock").isEqualTo(granted.acquiredAt().toEpochMilli() * 1024);
			assertThat(lock.fence() - granted.fence()).as(where + ": set aside")
				.isEqualTo(spec.fence() - holder.fence());
		}
	}

	// Each number of the specification is one of the store, in the same order
	private static void assertSame(Map<Integer, Long> known, int spec, long stored, String where) {
		assertThat(known.getOrDefault(spec, stored)).as(where + ": fence " + spec).isEqualTo(stored);
		known.put(spec, stored);
		assertThat(List.copyOf(known.values())).as(where + ": fences").isSorted().doesNotHaveDuplicates();
	}

	private static List<SpecEntry> withoutFence(List<SpecEntry> entries) {
		return entries.stream().map((entry) -> new SpecEntry(entry.token(), entry.limit(), 0, entry.left())).toList();
	}

	private static SpecEntry entry(String token, int limit, int left) {
		return new SpecEntry(token, (limit == Integer.MAX_VALUE) ? NO_LIMIT : limit, 0, left);
	}

	// A tick that has begun counts as whole
	private static int left(long millis, int least) {
		return (int) Math.max(least, Math.ceil((double) millis / TICK.toMillis()));
	}

	private void pass(long ticks) {
		this.ticks += ticks;
		write(older(read(), ticks));
		this.stable = older(this.stable, ticks);
	}

	private @Nullable Document read() {
		return this.documents.find(Filters.eq(this.key)).first();
	}

	private void write(@Nullable Document document) {
		if (document != null) {
			this.documents.replaceOne(Filters.eq(this.key), document, new ReplaceOptions().upsert(true));
		}
		else {
			this.documents.deleteOne(Filters.eq(this.key));
		}
	}

	private static long aged(long ticks) {
		return ticks * TICK.toMillis() * 1024;
	}

	private static @Nullable Document older(@Nullable Document document, long ticks) {
		if (document == null) {
			return null;
		}
		Document older = new Document();
		document.forEach((name, value) -> older.append(name, older(name, value, ticks)));
		return older;
	}

	private static Object older(String name, Object value, long ticks) {
		if (value instanceof Date date) {
			return new Date(date.getTime() - ticks * TICK.toMillis());
		}
		if (value instanceof List<?> list) {
			return list.stream().map((element) -> older(name, element, ticks)).toList();
		}
		if (value instanceof Document document) {
			return older(document, ticks);
		}
		return (name.equals("fence")) ? (Object) ((long) value - aged(ticks)) : value;
	}

	/**
	 * How many ticks a lease and a place in the queue live, and how many fences a tick
	 * has.
	 */
	record Lengths(int lease, int place, int grain) {
	}

}
