package io.mongolock.sample.orders.page;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.FindAndModifyOptions;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.mongolock.LockOwner;
import io.mongolock.sample.orders.server.MongoServer;

/**
 * Reports this instance to the others twice a second, and reads the reports of all.
 */
@Component
class InstanceReporter implements DisposableBean {

	private static final Duration REMEMBERED = Duration.ofMinutes(2);

	private final MongoOperations mongo;

	private final LockOwner self;

	private final MongoServer server;

	private final Environment environment;

	private final TurnLog turns;

	private final WaitingCalls calls;

	private volatile @Nullable ServerTime time;

	InstanceReporter(MongoOperations mongo, LockOwner self, MongoServer server, Environment environment, TurnLog turns,
			WaitingCalls calls) {
		this.mongo = mongo;
		this.self = self;
		this.server = server;
		this.environment = environment;
		this.turns = turns;
		this.calls = calls;
	}

	@Scheduled(fixedDelay = 500)
	void report() {
		report(false);
	}

	@Override
	public void destroy() {
		report(true);
	}

	/**
	 * The reports of the last minutes, that of this instance among them.
	 * @return the reports, and the time by the clock of the server
	 */
	Reports read() {
		ServerTime time = this.time;
		if (time == null) {
			return new Reports(Instant.EPOCH, List.of());
		}
		Instant now = time.now();
		return new Reports(now,
				this.mongo.find(Query.query(Criteria.where("seenAt").gt(now.minus(REMEMBERED))), InstanceReport.class));
	}

	private void report(boolean stopped) {
		try {
			List<Turn> turns = this.turns.turns();
			Update report = new Update().set("host", this.self.host())
				.set("pid", this.self.pid())
				.set("port", this.environment.getProperty("local.server.port", Integer.class, 0))
				.set("runsServer", this.server.runsHere())
				.set("stopped", stopped)
				.set("waiting", this.calls.waiting(turns))
				.set("turns", turns)
				.currentDate("seenAt");
			InstanceReport stored = this.mongo.findAndModify(Query.query(Criteria.where("id").is(this.self.instance())),
					report, FindAndModifyOptions.options().upsert(true).returnNew(true), InstanceReport.class);
			if (stored != null) {
				reported(stored.seenAt());
			}
		}
		catch (DataAccessException ex) {
			// Said once by ServerWatch; the next report holds all that this one would
			// have held
		}
	}

	private void reported(Instant seenAt) {
		if (this.time == null) {
			this.mongo.remove(Query.query(Criteria.where("seenAt").lt(seenAt.minus(REMEMBERED))), InstanceReport.class);
		}
		this.time = new ServerTime(seenAt, System.nanoTime());
	}

	/**
	 * Reports of all instances.
	 *
	 * @param now the time by the clock of the server
	 * @param instances what they reported
	 */
	record Reports(Instant now, List<InstanceReport> instances) {

	}

	private record ServerTime(Instant at, long nanoTime) {

		Instant now() {
			return this.at.plusNanos(System.nanoTime() - this.nanoTime);
		}

	}

}
