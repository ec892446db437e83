package io.mongolock.faults.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.data.FencedWrites;
import io.mongolock.data.Sequences;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.OptimisticUpdater;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.jobs.ScheduledJob;
import io.mongolock.leader.LeaderElection;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A user with the rights that the table of docs/operating.md has, and no others, on a
 * server with authentication.
 */
@Timeout(120)
@ReadsOutput
class PagePrivilegesTests {

	private static final Path PAGE = Path.of("..", "docs", "operating.md");

	private static final Pattern ACTION = Pattern
		.compile("`(find|insert|update|remove|createIndex|listIndexes|changeStream)`");

	/** The collections that each row is about. */
	private static final Map<String, List<String>> COLLECTIONS = Map.of("locks", List.of("locks"), "[sequences]",
			List.of("sequences", "shedLock"), "[locked]", List.of("page", "order", "account"), "`lockJobRuns`",
			List.of("lockJobRuns"));

	@Test
	@Tag("real-server")
	void whenAUserHasTheRightsOfThePageAloneThenEachModuleWorks(CapturedOutput output) throws Exception {
		MongodBinary binary = SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException("needs a mongod of its own: set " + MongodBinary.NAME));
		try (RealMongo set = RealMongo.builder(binary).replicaSet(1).authentication().start();
				MongoClient admin = MongoClients.create(set.connectionString())) {
			String password = UUID.randomUUID().toString();
			MongoDatabase database = admin.getDatabase(Harness.DATABASE);
			database.runCommand(new Document("createRole", "mongoLock").append("privileges", privileges())
				.append("roles", List.of()));
			database.runCommand(
					new Document("createUser", "locker").append("pwd", password).append("roles", List.of("mongoLock")));
			try (ConfigurableApplicationContext context = SpringApp.start(set.connectionString(), Application.class,
					"test.password=" + password, "mongo-lock.shedlock.collection=shedLock")) {
				useLocks(context.getBean(LockOperations.class));
				useDocuments(context);
				LockProvider shedLock = context.getBean(LockProvider.class);
				shedLock.lock(new LockConfiguration(Instant.now(), "settle", Duration.ofMinutes(1), Duration.ZERO))
					.orElseThrow()
					.unlock();
				assertThat(context.getBean(Ticks.class).ran.await(30, TimeUnit.SECONDS)).isTrue();
				await().atMost(Harness.LONG).until(context.getBean(LeaderElection.class)::isLeader);
				await().atMost(Harness.LONG)
					.until(() -> Thread.getAllStackTraces()
						.keySet()
						.stream()
						.noneMatch((thread) -> thread.getName().equals("mongo-lock-start")));
			}
		}
		assertThat(output).doesNotContain("Rights are missing", "not authorized", "refuses a change stream");
	}

	private static void useLocks(LockOperations locks) throws Exception {
		LockSettings waits = LockSettings.builder().waitTimeout(Harness.LONG).build();
		CompletableFuture<LockHandle> waiting;
		try (LockHandle held = locks.acquire(LockRequest.of("k"))) {
			waiting = locks.acquireAsync(LockRequest.builder("k").settings(waits).build());
			locks.requestRelease("k", "deployment", "test");
			held.renew();
		}
		waiting.get(30, TimeUnit.SECONDS).close();
	}

	private static void useDocuments(ConfigurableApplicationContext context) {
		MongoTemplate template = context.getBean(MongoTemplate.class);
		template.save(new Page("a", "", null));
		try (LockedDocument<Page> locked = context.getBean(DocumentLockOperations.class).lock(Page.class, "a")) {
			locked.save(new Page("a", "edited", locked.entity().version()));
		}
		assertThat(context.getBean(DocumentLockOperations.class).list(Page.class)).isEmpty();
		assertThat(context.getBean(Sequences.class).next("invoice")).isOne();
		OptimisticUpdater updates = context.getBean(OptimisticUpdater.class);
		for (int items = 0; items < 2; items++) {
			assertThat(updates.updateOrCreate(Order.class, "o", () -> new Order("o", 0, null),
					(order) -> new Order("o", order.items() + 1, order.version())))
				.extracting(Order::items)
				.isEqualTo(items + 1);
		}
		template.save(new Account("7", 0));
		try (LockHandle lock = context.getBean(LockOperations.class).acquire(LockRequest.of("account", 7))) {
			context.getBean(FencedWrites.class)
				.update(lock, Query.query(Criteria.where("id").is("7")), new Update().set("balance", 5), Account.class);
		}
	}

	private static List<Document> privileges() throws IOException {
		List<Document> privileges = new ArrayList<>();
		rows().forEach((row) -> {
			String[] cells = row.split("\\|");
			List<String> collections = COLLECTIONS.entrySet()
				.stream()
				.filter((one) -> cells[1].strip().startsWith(one.getKey()))
				.map(Map.Entry::getValue)
				.findFirst()
				.orElseThrow(() -> new AssertionError("no module for " + row));
			List<String> actions = ACTION.matcher(cells[2].replaceFirst("; optional .*", ""))
				.results()
				.map((action) -> action.group(1))
				.distinct()
				.toList();
			collections.forEach((collection) -> privileges
				.add(new Document("resource", new Document("db", Harness.DATABASE).append("collection", collection))
					.append("actions", actions)));
		});
		assertThat(privileges).hasSizeGreaterThan(COLLECTIONS.size());
		return privileges;
	}

	private static Stream<String> rows() throws IOException {
		String page = Files.readString(PAGE);
		String table = page.substring(page.indexOf("\n## Privileges"), page.indexOf("This script creates a role"));
		return table.lines().filter((line) -> line.startsWith("| ") && !line.startsWith("| collection |"));
	}

	record Page(@Id String id, String text, @Version Long version) {

	}

	record Order(@Id String id, int items, @Version Long version) {

	}

	record Account(@Id String id, long balance) {

	}

	static class Ticks {

		private final CountDownLatch ran = new CountDownLatch(2);

		@ScheduledJob(name = "tick", fixedDelay = "100ms")
		void run() {
			this.ran.countDown();
		}

	}

	static class Application extends ServerSetUpTests.LeastPrivilege {

		@Bean
		Ticks ticks() {
			return new Ticks();
		}

		@Bean
		LeaderElection reports(LockOperations locks, ApplicationEventPublisher events) {
			return new LeaderElection("reports", locks, events);
		}

	}

}
