package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.List;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.LockTerms;

/**
 * The clients of searched histories, and the locks that their threads want. This is the
 * one place that says what is searched: who wants what, and how far {@code verify -Pfull}
 * goes.
 */
enum Scope {

	TWO("two clients, one lock, held for longer than a lease lasts", 2, client(Want.LONG), client(Want.EXCLUSIVE)),

	ALONE("one client that holds a lock for a moment, and what it leaves behind", 3, client(Want.BRIEF)),

	BRIEF("two clients, one lock, held for a moment", 3, client(Want.BRIEF), client(Want.BRIEF)),

	HANDED_OVER("a client hands its lock over to its other threads, another waits", 2,
			client(Want.BRIEF, Want.BRIEF, Want.BRIEF), client(Want.EXCLUSIVE)),

	HANDED_ON("threads of one client hand its lock over, and no other wants it", 2,
			client(Want.BRIEF, Want.BRIEF, Want.BRIEF)),

	NOT_RENEWED("nobody renews, and the work takes longer than the lease", 2, client(Want.NOT_RENEWED),
			client(Want.EXCLUSIVE)),

	MIN_HOLD("a lock that is kept for a while after its work", 2, client(Want.MIN_HOLD), client(Want.MIN_HOLD)),

	IDLE("a lease that stays with the client that takes it again and again, until another wants the lock", 2,
			client(Want.AGAIN), client(Want.LATER)) {

		@Override
		Duration linger() {
			return Duration.ofSeconds(1);
		}

	},

	SHARED("a writer among readers", 1, client(Want.SHARED), client(Want.EXCLUSIVE), client(Want.SHARED)),

	LIMITED("three want a lock that two may hold", 1, client(Want.LIMITED), client(Want.LIMITED), client(Want.LIMITED)),

	THREE("three clients, one lock", 1, client(Want.EXCLUSIVE), client(Want.EXCLUSIVE), client(Want.EXCLUSIVE)),

	LIMITED_HERE("threads of one client want a lock that two may hold", 1,
			client(Want.BRIEF.limited(), Want.SHORT.limited(), Want.SHORT.limited(), Want.BRIEF.limited())),

	LONGER("a client hands its lock over to a thread that wants it for longer, another waits", 1,
			client(Want.SHORTER, Want.SHORTER, Want.LONG), client(Want.SHORTER.after(1_000))) {

		@Override
		Timings timings() {
			return new Timings(TERMS, terms(2 * TERMS.ttl().toSeconds()));
		}

	},

	TWO_LOCKS("a client holds two locks, one of whose documents may be blocked", 1,
			client(Want.LONG, Want.LONG.of("b")));

	static final LockTerms TERMS = terms(3);

	private final String about;

	private final int depth;

	private final List<Client> clients;

	Scope(String about, int depth, Client... clients) {
		this.about = about;
		this.depth = depth;
		this.clients = List.of(clients);
	}

	/**
	 * Describes the scope for people.
	 */
	String about() {
		return this.about;
	}

	/**
	 * How many choices may be unusual for a search to end within minutes.
	 */
	int depth() {
		return this.depth;
	}

	List<Client> clients() {
		return this.clients;
	}

	List<LockRequest> locks() {
		return this.clients.stream().map(Client::threads).flatMap(List::stream).map(Want::lock).distinct().toList();
	}

	/**
	 * For how long clients keep leases that nobody holds.
	 */
	Duration linger() {
		return Duration.ZERO;
	}

	Timings timings() {
		return new Timings(TERMS, TERMS);
	}

	private static Client client(Want... threads) {
		return new Client(List.of(threads));
	}

	private static LockTerms terms(long seconds) {
		return LockTerms.of(LockSettings.builder().ttl(Duration.ofSeconds(seconds)).build());
	}

	/**
	 * A client.
	 *
	 * @param threads what each of its threads wants
	 */
	record Client(List<Want> threads) {

	}

	/**
	 * What a thread wants.
	 *
	 * @param lock which lock
	 * @param manner how it waits and holds, by its number in {@link Timings#manners}
	 * @param acts how often it acts under the lock
	 * @param rest at most how long apart, in milliseconds
	 * @param after when it begins, in milliseconds
	 * @param times how often it wants the lock
	 */
	record Want(LockRequest lock, int manner, int acts, long rest, long after, int times) {

		static final Want BRIEF = new Want(LockRequest.of("a"), 4, 1, 5, 0, 1);

		static final Want SHORT = new Want(LockRequest.of("a"), 4, 2, 100, 0, 1);

		static final Want EXCLUSIVE = new Want(LockRequest.of("a"), 4, 2, 1_000, 0, 1);

		static final Want LONG = new Want(LockRequest.of("a"), 4, 3, 1_000, 0, 1);

		static final Want NOT_RENEWED = new Want(LockRequest.of("a"), 5, 5, 1_000, 0, 1);

		static final Want MIN_HOLD = new Want(LockRequest.of("a"), 6, 1, 1_000, 0, 1);

		static final Want SHORTER = new Want(LockRequest.of("a"), 3, 1, 5, 0, 1);

		static final Want AGAIN = new Want(LockRequest.of("a"), 4, 1, 5, 0, 6);

		static final Want LATER = BRIEF.after(300);

		static final Want SHARED = new Want(LockRequest.builder("a").shared().build(), 4, 2, 1_000, 0, 1);

		static final Want LIMITED = EXCLUSIVE.limited();

		Want limited() {
			return new Want(LockRequest.builder(this.lock.key()).limit(2).build(), this.manner, this.acts, this.rest,
					this.after, this.times);
		}

		Want of(String key) {
			return new Want(LockRequest.of(key), this.manner, this.acts, this.rest, this.after, this.times);
		}

		Want after(long millis) {
			return new Want(this.lock, this.manner, this.acts, this.rest, millis, this.times);
		}

	}

}
