package io.mongolock.sample.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Runs of jobs that no instance has, put into the store as it keeps them.
 */
final class SeededJobs implements AutoCloseable {

	static final String RUNNER = "shop 3f2a91bc (host node-1, pid 4001, thread job-1)";

	/** The jobs of {@link OrderJobs}. */
	private static final List<String> OWN = List.of("count-open-orders", "remind-debtors");

	private final MongoClient client;

	private final MongoCollection<Document> runs;

	SeededJobs(String uri, String database) {
		this.client = MongoClients.create(uri);
		this.runs = this.client.getDatabase(database).getCollection("lockJobRuns");
	}

	/**
	 * Have a job that an instance has looked after.
	 * @param ago how long ago
	 */
	void scheduled(String job, String schedule, Duration ago) {
		this.runs.insertOne(new Document("_id", new Document("job", job)).append("job", job)
			.append("tick", Date.from(Instant.parse("9999-12-31T23:59:59.999Z")))
			.append("schedule", schedule)
			.append("scheduledAt", before(ago))
			.append("since", before(ago.plusDays(1))));
	}

	/**
	 * Have ticks of a job expected since then, none of which was run.
	 */
	void expectedSince(String job, Duration ago) {
		this.runs.deleteMany(Filters.and(Filters.eq("job", job), Filters.exists("outcome")));
		this.runs.updateOne(Filters.eq("_id", new Document("job", job)),
				Updates.combine(Updates.set("since", before(ago)), Updates.set("scheduledSince", before(ago))));
	}

	/**
	 * Have run a tick.
	 * @param ago how long ago it was due
	 * @param attempt which one, 0 if it was not run
	 * @param lasted for how long, {@code null} if it runs
	 * @param more its other fields and their values
	 */
	void run(String job, Duration ago, int attempt, String outcome, @Nullable Duration lasted, String... more) {
		Document run = document(job, ago, attempt, outcome, lasted);
		for (int i = 0; i < more.length; i += 2) {
			run.put(more[i], more[i + 1]);
		}
		this.runs.insertOne(run);
	}

	/**
	 * Have many jobs that code runs, of two runs each.
	 */
	void many(int count) {
		this.runs.insertMany(IntStream.range(0, 2 * count)
			.mapToObj((i) -> document("job-%03d".formatted(i / 2), Duration.ofMinutes(1 + i % 2), 1, "SUCCEEDED",
					Duration.ofSeconds(1)))
			.toList());
	}

	/**
	 * Delete all jobs that were put in.
	 */
	void clear() {
		this.runs.deleteMany(Filters.nin("_id.job", OWN));
	}

	private static Document document(String job, Duration ago, int attempt, String outcome, @Nullable Duration lasted) {
		Date tick = before(ago);
		return new Document("_id", new Document("job", job).append("tick", tick)).append("job", job)
			.append("tick", tick)
			.append("attempt", attempt)
			.append("fence", 0L)
			.append("startedAt", tick)
			.append("endedAt", (lasted != null) ? Date.from(tick.toInstant().plus(lasted)) : null)
			.append("outcome", outcome)
			.append("runner", RUNNER)
			.append("exception", null)
			.append("message", null)
			.append("note", null);
	}

	private static Date before(Duration ago) {
		return Date.from(Instant.now().minus(ago));
	}

	@Override
	public void close() {
		this.client.close();
	}

}
