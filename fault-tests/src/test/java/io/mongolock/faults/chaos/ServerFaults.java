package io.mongolock.faults.chaos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;

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
