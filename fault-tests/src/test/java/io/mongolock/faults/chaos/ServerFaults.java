package io.mongolock.faults.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;

import io.mongolock.faults.chaos.FaultPlan.LostAnswer;
import io.mongolock.faults.chaos.FaultPlan.ServerFault;
import io.mongolock.faults.harness.history.HistoryRecord;
import io.mongolock.faults.harness.history.HistoryRecord.Fault;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

/**
 * Lets faults befall the members of a real set. Used by one thread.
 */
final class ServerFaults {

	private final RealMongo set;

	private final Consumer<HistoryRecord> history;

	/** How many answers a member had lost when it was last told to lose some. */
	private final Map<RealMember, Long> counts = new HashMap<>();

	private volatile long lost;

	ServerFaults(RealMongo set, Consumer<HistoryRecord> history) {
		this.set = set;
		this.history = history;
	}

	// Returns when all have recovered and it was quiet for a while
	void inflict(ServerFault fault) {
		long from = System.nanoTime();
		RealMember primary = this.set.primary();
		List<RealMember> others = this.set.secondaries();
		RealMember secondary = others.get(fault.victim() % others.size());
		switch (fault.kind()) {
			case PRIMARY_KILLED -> primary.kill();
			case SECONDARY_KILLED -> secondary.kill();
			case ALL_KILLED -> this.set.members().forEach(RealMember::kill);
			case PRIMARY_FROZEN -> primary.freeze();
			case SECONDARY_FROZEN -> secondary.freeze();
			case PRIMARY_ISOLATED -> primary.isolate();
			case PRIMARY_STEPPED_DOWN -> stepDown(primary);
			case PRIMARY_FORGOTTEN -> {
				others.forEach(RealMember::freeze);
				// a little less than it takes to notice that it is alone
				pass(Duration.ofMillis(1800));
				primary.kill();
				others.forEach(RealMember::thaw);
			}
		}
		pass(fault.lasts());
		this.set.heal();
		this.history.accept(new Fault(fault.kind() + " for " + fault.lasts().toMillis() + " ms: primary was " + primary,
				from, System.nanoTime()));
		pass(fault.quiet());
	}

	// On a set with test commands; at a primary that is away it befalls nothing. For one
	// thread, which may be another than that of the faults of servers
	void lose(LostAnswer answer, String namespace) {
		Document data = new Document("failCommands", List.of(answer.command())).append("namespace", namespace);
		Document how = (answer.executed() && !answer.command().equals("find"))
				? data.append("writeConcernError", new Document("code", 64).append("errmsg", "lost"))
				: data.append("closeConnection", true);
		RealMember primary = this.set.primary();
		try (MongoClient client = MongoClients
			.create(this.set.connectionString(primary) + "&serverSelectionTimeoutMS=2000")) {
			Document set = client.getDatabase("admin")
				.withTimeout(2, TimeUnit.SECONDS)
				.runCommand(new Document("configureFailPoint", "failCommand")
					.append("mode", new Document("times", answer.times()))
					.append("data", how));
			long count = set.get("count", Number.class).longValue();
			Long before = this.counts.put(primary, count);
			// One that was started again counts from zero
			this.lost += (before != null && before <= count) ? count - before : count;
		}
		catch (MongoException ex) {
			if (ex instanceof MongoCommandException && !(ex instanceof MongoNotPrimaryException)
					&& !(ex instanceof MongoNodeIsRecoveringException)) {
				throw ex;
			}
			// Another fault has befallen it
		}
		pass(answer.quiet());
	}

	/** How many answers were lost, without those since a member was last told to. */
	long lost() {
		return this.lost;
	}

	// Whether or not the others have caught up
	private void stepDown(RealMember primary) {
		try (MongoClient client = MongoClients.create(this.set.connectionString(primary))) {
			client.getDatabase("admin").runCommand(new Document("replSetStepDown", 5).append("force", true));
		}
		catch (MongoSocketException | MongoCommandException ex) {
			// It may close the connection instead of an answer, or be no primary any more
		}
	}

	private static void pass(Duration time) {
		LockSupport.parkNanos(time.toNanos());
	}

}
