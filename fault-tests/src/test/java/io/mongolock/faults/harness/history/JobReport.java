package io.mongolock.faults.harness.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Sorts;
import org.bson.Document;

import io.mongolock.faults.harness.history.HistoryRecord.Began;

/**
 * Judges what is kept of the runs of jobs by what their workers wrote down: each attempt
 * has begun once, and each that has begun is kept. Immutable.
 *
 * @param runs what is kept, the oldest tick first
 * @param began what has begun
 * @param violations what breaks a promise
 */
public record JobReport(List<Run> runs, List<Began> began, List<String> violations) {

	private static final Set<String> NOT_RUN = Set.of("SKIPPED", "MISSED");

	private static final Set<String> RUN = Set.of("SUCCEEDED", "FAILED", "TIMED_OUT", "ABANDONED", "RUNNING");

	public static JobReport of(Collection<HistoryRecord> records, MongoCollection<Document> kept) {
		List<Began> began = records.stream().filter(Began.class::isInstance).map(Began.class::cast).toList();
		List<Run> runs = kept.withReadConcern(ReadConcern.MAJORITY)
			.withReadPreference(ReadPreference.primary())
			.find(Filters.exists("outcome"))
			.sort(Sorts.ascending("job", "tick"))
			.map(Run::of)
			.into(new ArrayList<>());
		List<String> violations = new ArrayList<>();
		Map<String, Run> byTick = runs.stream().collect(Collectors.toMap(Run::id, Function.identity()));
		Set<String> attempts = new HashSet<>();
		for (Began one : began) {
			Run run = byTick.get(one.job() + " " + one.tick());
			if (!attempts.add(id(one.job(), one.tick(), one.attempt()))) {
				violations.add("begun twice: " + one);
			}
			if (run == null || run.attempt() < one.attempt()) {
				violations.add("not kept: " + one + ", but " + run);
			}
		}
		for (Run run : runs) {
			if (run.outcome().equals("SUCCEEDED") && !attempts.contains(id(run.job(), run.tick(), run.attempt()))) {
				violations.add("succeeded without a beginning: " + run);
			}
			if ((run.attempt() != 0) ? !RUN.contains(run.outcome()) : !NOT_RUN.contains(run.outcome())) {
				violations.add("run, and not: " + run);
			}
			if (run.attempt() != 0 && run.firstTick() != run.tick()) {
				violations.add("one run for several ticks: " + run);
			}
			if (run.attempt() != 0 && run.startedAt() < run.tick()) {
				violations.add("begun too early: " + run);
			}
		}
		return new JobReport(runs, began, violations);
	}

	private static String id(String job, long tick, int attempt) {
		return job + " " + tick + " " + attempt;
	}

	public List<Run> of(String job) {
		return this.runs.stream().filter((run) -> run.job().equals(job)).toList();
	}

	/** Where ticks have no record, or two: the records around them. */
	public List<List<Run>> holes(String job, Duration period) {
		List<Run> runs = of(job);
		return IntStream.range(1, runs.size())
			.filter((i) -> runs.get(i).firstTick() - runs.get(i - 1).tick() != period.toMillis())
			.mapToObj((i) -> runs.subList(Math.max(0, i - 2), Math.min(runs.size(), i + 2)))
			.toList();
	}

	public Map<String, Long> outcomes(String job) {
		return of(job).stream()
			.collect(Collectors.groupingBy(
					(run) -> run.outcome().toLowerCase() + ((run.attempt() > 1) ? " as attempt " + run.attempt() : ""),
					TreeMap::new, Collectors.counting()));
	}

	/**
	 * A run, or ticks that were not run, as it is kept. Times are milliseconds by the
	 * server.
	 */
	public record Run(String job, long firstTick, long tick, int attempt, long startedAt, String outcome,
			String runner) {

		private static Run of(Document run) {
			long tick = run.getDate("tick").getTime();
			Date first = run.getDate("firstTick");
			return new Run(run.getString("job"), (first != null) ? first.getTime() : tick, tick,
					run.getInteger("attempt"), run.getDate("startedAt").getTime(), run.getString("outcome"),
					run.getString("runner"));
		}

		private String id() {
			return this.job + " " + this.tick;
		}

	}

}
