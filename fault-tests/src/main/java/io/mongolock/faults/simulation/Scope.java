package io.mongolock.faults.simulation;

import java.util.List;

import io.mongolock.LockRequest;

/**
 * The clients of searched histories, and the locks that their threads want, each once.
 */
enum Scope {

	/** Two clients, one lock, longer than one renewal. */
	TWO(2, List.of(client(Want.EXCLUSIVE), client(Want.EXCLUSIVE))),

	/** A client hands its lock over to its second thread, while another waits. */
	HANDED_OVER(2, List.of(client(Want.BRIEF, Want.BRIEF, Want.BRIEF), client(Want.EXCLUSIVE))),

	/** Nobody renews, and the work takes longer than the lease. */
	NOT_RENEWED(2, List.of(client(Want.NOT_RENEWED), client(Want.EXCLUSIVE))),

	/** A lock that is kept for a while after its work. */
	MIN_HOLD(2, List.of(client(Want.MIN_HOLD), client(Want.MIN_HOLD))),

	/** A writer among readers. */
	SHARED(1, List.of(client(Want.SHARED), client(Want.EXCLUSIVE), client(Want.SHARED))),

	/** Three want a lock that two may hold. */
	LIMITED(1, List.of(client(Want.LIMITED), client(Want.LIMITED), client(Want.LIMITED))),

	/** Three clients, one lock. */
	THREE(1, List.of(client(Want.EXCLUSIVE), client(Want.EXCLUSIVE), client(Want.EXCLUSIVE)));

	private final int depth;

	private final List<List<Want>> clients;

	Scope(int depth, List<List<Want>> clients) {
		this.depth = depth;
		this.clients = clients;
	}

	/**
	 * How many choices may be unusual for a search to end within minutes.
	 */
	int depth() {
		return this.depth;
	}

	/**
	 * What the threads of each client want.
	 */
	List<List<Want>> clients() {
		return this.clients;
	}

	List<LockRequest> locks() {
		return this.clients.stream().flatMap(List::stream).map(Want::lock).distinct().toList();
	}

	private static List<Want> client(Want... threads) {
		return List.of(threads);
	}

	/**
	 * What a thread wants.
	 *
	 * @param lock which lock
	 * @param manner how it waits and holds, by its number in {@link Timings#manners}
	 * @param acts how often it acts under the lock
	 * @param rest at most how long apart, in milliseconds
	 */
	record Want(LockRequest lock, int manner, int acts, long rest) {

		static final Want BRIEF = new Want(LockRequest.of("a"), 4, 1, 5);

		static final Want EXCLUSIVE = new Want(LockRequest.of("a"), 4, 2, 1_000);

		static final Want NOT_RENEWED = new Want(LockRequest.of("a"), 5, 5, 1_000);

		static final Want MIN_HOLD = new Want(LockRequest.of("a"), 6, 1, 1_000);

		static final Want SHARED = new Want(LockRequest.builder("a").shared().build(), 4, 2, 1_000);

		static final Want LIMITED = new Want(LockRequest.builder("a").limit(2).build(), 4, 2, 1_000);

	}

}
