package io.mongolock.dashboard;

import java.util.List;
import java.util.Map;

import org.springframework.boot.json.JsonWriter;

/**
 * The history of one instance's locks, as sent to the page. Times are durations in
 * milliseconds, so no browser's clock is compared with a server's clock.
 *
 * @param turn the number of the latest turn that ended
 * @param held how many locks are held now
 * @param waiting how many attempts wait now
 * @param bounds the upper bounds of the counts; there is one more count for longer
 * durations
 * @param names the counts for each lock name
 * @param turns the latest turns that ended, in their order
 * @param lost how many locks were lost
 * @param losses the latest losses, last first
 * @param deadlocks the latest deadlocks, last first
 */
record Activity(long turn, int held, int waiting, List<Long> bounds, List<Name> names, List<Turn> turns, long lost,
		List<Loss> losses, List<Stuck> deadlocks) {

	/**
	 * Write it as the page reads it, regardless of the settings of the application's
	 * Jackson.
	 * @return one line of JSON
	 */
	String toJson() {
		return JsonWriter.<Activity>of((members) -> {
			members.add("turn", Activity::turn);
			members.add("held", Activity::held);
			members.add("waiting", Activity::waiting);
			members.add("bounds", Activity::bounds);
			members.add("names", Activity::names).as((all) -> all.stream().map(Name::members).toList());
			members.add("turns", Activity::turns).as((all) -> all.stream().map(Turn::members).toList());
			members.add("lost", Activity::lost);
			members.add("losses", Activity::losses).as((all) -> all.stream().map(Loss::members).toList());
			members.add("deadlocks", Activity::deadlocks).as((all) -> all.stream().map(Stuck::members).toList());
		}).writeToString(this);
	}

	/**
	 * The locks of one name.
	 *
	 * @param name the name
	 * @param waits the numbers of granted claims, by the time that they waited
	 * @param holds the numbers of ended turns, by the time that they lasted
	 */
	record Name(String name, List<Long> waits, List<Long> holds) {

		private Map<String, ?> members() {
			return Map.of("name", this.name, "waits", this.waits, "holds", this.holds);
		}

	}

	/**
	 * A turn that ended.
	 *
	 * @param number its number
	 * @param key the key of the lock
	 * @param end how it ended
	 * @param lasted how long it lasted
	 * @param ago how long ago it ended
	 */
	record Turn(long number, String key, String end, long lasted, long ago) {

		private Map<String, ?> members() {
			return Map.of("number", this.number, "key", this.key, "end", this.end, "lasted", this.lasted, "ago",
					this.ago);
		}

	}

	/**
	 * Callers that waited for each other's locks.
	 *
	 * @param number its number
	 * @param keys the keys of the locks
	 * @param ago how long ago it was seen
	 */
	record Stuck(long number, List<String> keys, long ago) {

		private Map<String, ?> members() {
			return Map.of("number", this.number, "keys", this.keys, "ago", this.ago);
		}

	}

	/**
	 * A lock that was lost.
	 *
	 * @param number its number
	 * @param key the key of the lock
	 * @param reason how it was lost
	 * @param ago how long ago it was lost
	 */
	record Loss(long number, String key, String reason, long ago) {

		private Map<String, ?> members() {
			return Map.of("number", this.number, "key", this.key, "reason", this.reason, "ago", this.ago);
		}

	}

}
