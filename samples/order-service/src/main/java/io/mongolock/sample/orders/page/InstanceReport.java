package io.mongolock.sample.orders.page;

import java.time.Instant;
import java.util.List;

import org.springframework.data.annotation.Id;
import org.springframework.data.mongodb.core.mapping.Document;

/**
 * What an instance tells the others about itself: one document each, of bounded size.
 *
 * @param id as in the locks it holds
 * @param host where it runs
 * @param pid its process
 * @param port of its page
 * @param runsServer whether the embedded server lives in its process
 * @param stopped whether it said good-bye
 * @param seenAt when it last reported, by the clock of the server
 * @param waiting its calls that wait for a lock
 * @param turns its last turns, oldest first
 */
@Document("instances")
record InstanceReport(@Id String id, String host, long pid, int port, boolean runsServer, boolean stopped,
		Instant seenAt, List<WaitingCalls.Waiting> waiting, List<Turn> turns) {

}
