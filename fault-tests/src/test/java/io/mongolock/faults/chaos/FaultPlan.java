package io.mongolock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Which faults befall the servers, and which the workers, each in an order that follows
 * from the seed alone. Not thread-safe.
 */
final class FaultPlan {

	private final Random servers;

	private final Random workers;

	private final Random answers;

	FaultPlan(long seed) {
		this.servers = new Random(seed);
		this.workers = new Random(~seed);
		this.answers = new Random(Long.reverse(seed));
	}

	ServerFault nextOfServers() {
		ServerFault.Kind kind = pick(ServerFault.Kind.values(), this.servers);
		return new ServerFault(kind, this.servers.nextInt(1000), millis(100, 5000, this.servers),
				millis(500, 4000, this.servers));
	}

	WorkerFault nextOfWorkers() {
		WorkerFault.Kind kind = pick(WorkerFault.Kind.values(), this.workers);
		return new WorkerFault(kind, this.workers.nextInt(1000), millis(1, kind.longest(), this.workers),
				millis(500, 5000, this.workers));
	}

	LostAnswer nextLostAnswer() {
		return new LostAnswer(LostAnswer.COMMANDS.get(this.answers.nextInt(LostAnswer.COMMANDS.size())),
				this.answers.nextBoolean(), 1 + this.answers.nextInt(2), millis(500, 3000, this.answers));
	}

	private static <K> K pick(K[] kinds, Random random) {
		return kinds[random.nextInt(kinds.length)];
	}

	private static Duration millis(int least, int most, Random random) {
		return Duration.ofMillis(least + random.nextInt(most - least + 1));
	}

	/**
	 * A fault of one or several members of the set.
	 *
	 * @param victim which of those it may befall
	 * @param lasts how long it is left as it is
	 * @param quiet how long nothing happens when all have recovered
	 */
	record ServerFault(Kind kind, int victim, Duration lasts, Duration quiet) {

		/**
		 * What happens to whom.
		 */
		enum Kind {

			/** SIGKILL, then a start on its data. */
			PRIMARY_KILLED, SECONDARY_KILLED, ALL_KILLED,

			/** SIGSTOP, then SIGCONT. */
			PRIMARY_FROZEN, SECONDARY_FROZEN,

			/**
			 * Both others stand still, and then the primary is killed: what it alone
			 * wrote is rolled back.
			 */
			PRIMARY_FORGOTTEN,

			/** Cut off from the others, and not from the clients. */
			PRIMARY_ISOLATED,

			/** Asked to hand over its office. */
			PRIMARY_STEPPED_DOWN

		}

	}

	/**
	 * A fault of one or two workers.
	 *
	 * @param victim which of them it befalls
	 * @param lasts how long it stands still
	 * @param quiet how long nothing happens when it is over
	 */
	record WorkerFault(Kind kind, int victim, Duration lasts, Duration quiet) {

		/**
		 * What happens.
		 */
		enum Kind {

			/** SIGKILL; another one follows. */
			KILLED(1),

			/** SIGSTOP, for less than a lease lasts. */
			FROZEN(2000), TWO_FROZEN(2000),

			/** SIGSTOP, mostly for longer than a lease lasts. */
			FROZEN_FOR_LONG(10_000);

			private final int longest;

			Kind(int longestMillis) {
				this.longest = longestMillis;
			}

			int longest() {
				return this.longest;
			}

		}

	}

	/**
	 * A statement whose answer does not come.
	 *
	 * @param command the statement
	 * @param executed whether the server has executed it
	 * @param times how often in a row
	 * @param quiet how long nothing happens then
	 */
	record LostAnswer(String command, boolean executed, int times, Duration quiet) {

		static final List<String> COMMANDS = List.of("insert", "update", "findAndModify", "find");

	}

}
