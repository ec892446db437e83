package io.mongolock.faults.rows;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.ScriptedServer;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Row 33: locks inside of transactions of the same MongoDB, as far as what is sent shows
 * it. The embedded server has no transactions: it executes their commands one by one.
 */
@Timeout(120)
@StartsApplication
class TransactionRowsTests {

	private final EmbeddedMongo embedded = EmbeddedMongo.start();

	private final MongoClient client = MongoClients.create(this.embedded.connectionString());

	private final ScriptedServer server = new ScriptedServer(this.client);

	private final List<BsonDocument> sent = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.server.close();
		this.client.close();
		this.embedded.close();
	}

	@Test
	@ShowsRow(value = 33, level = Level.PROXY)
	void noRequestForALockJoinsATransactionOfItsDatabase(RowFigures figures) {
		this.server.script((command, passedOn) -> {
			this.sent.add(command);
			return (command.getFirstKey().equals("commitTransaction")) ? new BsonDocument("ok", new BsonDouble(1))
					: passedOn.get();
		});
		try (ConfigurableApplicationContext context = start()) {
			TransactionTemplate transaction = new TransactionTemplate(context.getBean(MongoTransactionManager.class));
			transaction.executeWithoutResult((status) -> {
				context.getBean(MongoTemplate.class).insert(new Document("_id", 1), "written");
				// made here, and not before, by the settings
				context.getBean(LockOperations.class).execute(LockRequest.of(Harness.KEY), (handle) -> {
					handle.renew();
					return "";
				});
			});
		}
		assertThat(commandsOn("written")).hasSize(1).allMatch(TransactionRowsTests::isInTransaction);
		List<BsonDocument> locks = commandsOn(Harness.COLLECTION);
		assertThat(locks).hasSizeGreaterThanOrEqualTo(3).noneMatch(TransactionRowsTests::isInTransaction);
		assertThat(locks.get(locks.size() - 1).getFirstKey()).as("the release").isEqualTo("update");
		figures.server(ScriptedServer.SERVER).add("requests for locks", locks.size()).add("joined", 0);
	}

	private ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(App.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.properties("spring.main.lazy-initialization=true")
			.run("--spring.mongodb.uri=" + this.server.connectionString().replace("/?", "/" + Harness.DATABASE + "?"));
	}

	private List<BsonDocument> commandsOn(String collection) {
		return this.sent.stream()
			.filter((command) -> command.get(command.getFirstKey()).isString())
			.filter((command) -> command.getString(command.getFirstKey()).getValue().equals(collection))
			.toList();
	}

	private static boolean isInTransaction(BsonDocument command) {
		return command.containsKey("autocommit");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class App {

		@Bean
		MongoTransactionManager mongoTransactions(MongoDatabaseFactory factory) {
			return new MongoTransactionManager(factory);
		}

	}

}
