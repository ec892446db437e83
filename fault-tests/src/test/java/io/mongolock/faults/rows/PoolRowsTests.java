package io.mongolock.faults.rows;

import java.time.Duration;

import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 15: a server that cannot be asked, as the application uses all connections.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class PoolRowsTests {

	private static final Duration TTL = Duration.ofSeconds(4);

	@AutoClose
	private final Harness rig = Harness.onAnyServer();

	@Test
	@ShowsRow(value = 15, level = Level.SERVER)
	void aHolderWhosePoolIsExhaustedIsToldBeforeTheNextGrant(RowFigures figures) {
		HarnessClient client = narrow();
		HarnessClient other = this.rig.direct(Harness.LONG);
		LockHandle handle = client.acquire();
		Hold hold = exhaust(client);
		Expect.toldBeforeTheNextGrant(client, handle, other, figures.server(this.rig.label())).close();
		hold.release();
		await().atMost(Harness.LONG)
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.untilAsserted(() -> client.locks().acquire(LockRequest.of("order:2")).close());
	}

	@Test
	@ShowsRow(value = 15, level = Level.SERVER)
	void renewalsOnAPoolOfTheirOwnPassWhileThatOfTheApplicationIsExhausted(RowFigures figures) {
		HarnessClient client = this.rig.behindProxy(TTL, Harness.LONG);
		HarnessClient application = narrow();
		try (LockHandle handle = client.acquire()) {
			exhaust(application);
			this.rig.awaitMoreReplies("update", 4);
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(client.told().losses()).isEmpty();
		figures.server(this.rig.label()).add("missed renewals", 0);
	}

	private HarnessClient narrow() {
		return this.rig
			.client(this.rig.proxied() + "&maxPoolSize=4", HarnessClient.settings(TTL, Duration.ZERO),
					LockClock.system())
			.warm();
	}

	private Hold exhaust(HarnessClient client) {
		MongoCollection<Document> busy = client.mongo().getDatabase(Harness.DATABASE).getCollection("busy");
		Hold hold = this.rig.proxy().on("find").collection("busy").holdAllRequests();
		for (int i = 0; i < 100; i++) {
			Thread thread = new Thread(() -> {
				try {
					busy.find().first();
				}
				catch (RuntimeException ex) {
					// the test is over
				}
			}, "busy-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		// the observer is not behind the proxy
		this.rig.proxy().awaitRequests("find", 4, Harness.LONG);
		return hold;
	}

}
