package io.mongolock.test.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Sorts;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Statements of several sessions on two documents, most of them in transactions, in their
 * order. A step that is sent {@code later} may have to wait for one after it.
 *
 * @param name says what happens
 * @param steps what is sent
 */
record TransactionScenario(String name, List<BsonDocument> steps) {

	private static final ClientSessionOptions OPTIONS = ClientSessionOptions.builder()
		.causallyConsistent(false)
		.build();

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final BsonString CURSOR = new BsonString("$$cursor");

	static List<TransactionScenario> all() {
		return Recording.transactions()
			.stream()
			.map((scenario) -> new TransactionScenario(scenario.getString("name").getValue(),
					scenario.getArray("steps").stream().map(BsonValue::asDocument).toList()))
			.toList();
	}

	/**
	 * Run it.
	 * @param server the server
	 * @param recorded what was recorded, empty if that is to be recorded
	 * @return what each statement was answered, and the documents that are left
	 */
	BsonDocument run(ServerUnderTest server, BsonDocument recorded) {
		MongoDatabase database = server.client().getDatabase("rec");
		database.drop();
		database.getCollection("orders", BsonDocument.class)
			.insertMany(List.of(BsonDocument.parse("{_id: 1, n: 1}"), BsonDocument.parse("{_id: 2, n: 2}")));
		try (Run run = new Run(server, recorded.getArray("answers", new BsonArray()))) {
			BsonDocument answer = run.answer(this.steps);
			return answer.append("after",
					database.getCollection("orders", BsonDocument.class)
						.find()
						.sort(Sorts.ascending("_id"))
						.into(new BsonArray()));
		}
	}

	/**
	 * One run.
	 */
	private static final class Run implements AutoCloseable {

		private final ServerUnderTest server;

		private final BsonArray recorded;

		private final long number = System.nanoTime();

		private final Map<String, ClientSession> sessions = new HashMap<>();

		private final Map<BsonValue, BsonValue> names = new HashMap<>();

		private final List<CompletableFuture<BsonDocument>> pending = new ArrayList<>();

		private final BsonArray answers = new BsonArray();

		private Run(ServerUnderTest server, BsonArray recorded) {
			this.server = server;
			this.recorded = recorded;
		}

		private BsonDocument answer(List<BsonDocument> steps) {
			for (BsonDocument step : steps) {
				if (step.containsKey("join")) {
					this.pending.forEach(CompletableFuture::join);
				}
				else if (step.containsKey("later")) {
					this.answers.add(new BsonDocument("waits", BsonBoolean.valueOf(waits(step))));
				}
				else {
					this.answers.add(answer(session(step.getString("as", new BsonString("outside")).getValue()), step));
				}
			}
			BsonArray late = new BsonArray(this.pending.stream().map(CompletableFuture::join).toList());
			return new BsonDocument("answers", this.answers).append("late", late);
		}

		// A statement that was sent before may not have arrived yet, which shows only in
		// what
		// is read
		private BsonDocument answer(ClientSession session, BsonDocument step) {
			int index = this.answers.size();
			BsonDocument answer = send(session, step);
			if (!this.pending.isEmpty() && !step.containsKey("tx") && index < this.recorded.size()) {
				BsonArray expected = read(this.recorded.get(index).asDocument());
				long end = System.nanoTime() + LONG.toNanos();
				while (step.getDocument("command").containsKey("find") && !read(answer).equals(expected)
						&& System.nanoTime() - end < 0) {
					LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
					answer = send(session, step);
				}
			}
			return answer;
		}

		private static BsonArray read(BsonDocument answer) {
			return answer.getDocument("reply", new BsonDocument())
				.getDocument("cursor", new BsonDocument())
				.getArray("firstBatch", new BsonArray());
		}

		private boolean waits(BsonDocument step) {
			int index = this.answers.size();
			ClientSession session = session(
					step.getString("as", new BsonString("later " + this.pending.size())).getValue());
			CompletableFuture<BsonDocument> answer = CompletableFuture.supplyAsync(() -> send(session, step),
					(work) -> new Thread(work, "later").start());
			this.pending.add(answer);
			Duration patience = Duration.ofSeconds(1);
			if (index < this.recorded.size()) {
				boolean waits = this.recorded.get(index).asDocument().getBoolean("waits").getValue();
				patience = (waits) ? Duration.ofMillis(50) : LONG;
			}
			try {
				answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
				return false;
			}
			catch (TimeoutException ex) {
				return true;
			}
			catch (InterruptedException | ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private ClientSession session(String name) {
			return this.sessions.computeIfAbsent(name, (key) -> {
				ClientSession session = this.server.client().startSession(OPTIONS);
				this.names.put(new BsonString("$$" + name), session.getServerSession().getIdentifier());
				return session;
			});
		}

		private BsonDocument send(ClientSession session, BsonDocument step) {
			BsonDocument command = Replay.named(this.names, step.get("command")).asDocument();
			for (String kind : List.of("tx", "write")) {
				if (step.containsKey(kind)) {
					command.append("txnNumber", new BsonInt64(this.number + step.getInt32(kind).getValue()));
				}
			}
			if (step.containsKey("tx")) {
				command.append("autocommit", BsonBoolean.FALSE);
			}
			if (step.containsKey("start")) {
				command.append("startTransaction", BsonBoolean.TRUE);
			}
			try {
				BsonDocument reply = this.server.client()
					.getDatabase(step.getString("on", new BsonString("rec")).getValue())
					.runCommand(session, command, BsonDocument.class);
				if (reply.containsKey("cursor")
						&& reply.getDocument("cursor").getNumber("id", new BsonInt32(0)).longValue() != 0) {
					this.names.put(CURSOR, reply.getDocument("cursor").get("id"));
				}
				return new BsonDocument("reply", Replay.sorted(Replay.comparable(events(reply), List.of())));
			}
			catch (MongoException ex) {
				return new BsonDocument("error", new BsonDocument("code", new BsonInt32(ex.getCode())).append("labels",
						new BsonArray(ex.getErrorLabels().stream().sorted().map(BsonString::new).toList())));
			}
		}

		// Without their times, and whose transaction they are of
		private static BsonDocument events(BsonDocument reply) {
			for (BsonValue each : reply.getDocument("cursor", new BsonDocument())
				.getArray("nextBatch", new BsonArray())) {
				BsonDocument event = each.asDocument();
				if (event.containsKey("operationType")) {
					event.keySet().removeAll(List.of("clusterTime", "wallTime"));
					event.replaceAll((name, value) -> Set.of("lsid", "txnNumber").contains(name) ? new BsonString("any")
							: value);
					BsonDocument sorted = Replay.sorted(event);
					event.clear();
					event.putAll(sorted);
				}
			}
			return reply;
		}

		@Override
		public void close() {
			this.sessions.values()
				.forEach((session) -> this.server.client()
					.getDatabase("admin")
					.runCommand(new BsonDocument("killSessions",
							new BsonArray(List.of(session.getServerSession().getIdentifier())))));
			this.sessions.values().forEach(ClientSession::close);
		}

	}

}
