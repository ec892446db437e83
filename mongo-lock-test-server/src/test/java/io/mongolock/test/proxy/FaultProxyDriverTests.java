package io.mongolock.test.proxy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Updates;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.ImpatientClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FaultProxy} between the driver and the embedded server.
 */
@Timeout(120)
class FaultProxyDriverTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private EmbeddedMongo server;

	private FaultProxy proxy;

	private MongoClient client;

	private MongoClient around;

	private MongoCollection<Document> things;

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.start();
		this.proxy = FaultProxy.to("127.0.0.1", this.server.port());
		// a standalone server takes no retryable writes
		this.client = ImpatientClient.of(this.proxy.connectionString() + "&retryWrites=false&retryReads=false");
		this.around = MongoClients.create(this.server.connectionString());
		this.things = this.client.getDatabase("test").getCollection("things");
		add();
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.around.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void commandsOfTheDriverAreKnownByName() {
		assertThat(add()).isEqualTo(2);
		assertThat(this.proxy.requests("findAndModify")).isEqualTo(2);
		assertThat(this.proxy.replies("findAndModify")).isEqualTo(2);
	}

	@Test
	void aLostReplyTimesOutThoughTheRequestWasExecuted() {
		this.proxy.on("findAndModify").collection("things").dropReply().once();
		assertThatTimesOut();
		assertThat(stored()).isEqualTo(2);
		assertThat(add()).isEqualTo(3);
	}

	@Test
	void aLostRequestTimesOutAndWasNotExecuted() {
		this.proxy.on("findAndModify").database("test").dropRequest().once();
		assertThatTimesOut();
		assertThat(stored()).isEqualTo(1);
	}

	@Test
	void aHeldRequestIsExecutedLongAfterTheDriverGaveUp() {
		Hold hold = this.proxy.on("findAndModify").holdRequest();
		assertThatTimesOut();
		assertThat(hold.isHeld()).isTrue();
		assertThat(stored()).isEqualTo(1);
		hold.release();
		this.proxy.awaitReplies("findAndModify", 2, LONG);
		assertThat(stored()).isEqualTo(2);
	}

	@Test
	void aDoubledRequestIsExecutedTwice() {
		this.proxy.on("findAndModify").duplicateRequest().once();
		assertThat(add()).isEqualTo(2);
		this.proxy.awaitReplies("findAndModify", 3, LONG);
		assertThat(add()).isEqualTo(4);
	}

	@Test
	void statementsOfAnUpdateAreSeenByTheCondition() {
		Fault fault = this.proxy.on("update")
			.when((command) -> command.getArray("updates")
				.get(0)
				.asDocument()
				.getDocument("q")
				.get("_id")
				.equals(new BsonString("cut")))
			.cut()
			.always();
		this.things.updateOne(Filters.eq("passed"), Updates.set("n", 1));
		assertThatExceptionOfType(MongoSocketException.class)
			.isThrownBy(() -> this.things.updateOne(Filters.eq("cut"), Updates.set("n", 1)));
		assertThat(fault.applied()).isOne();
	}

	@Test
	void aCutBeforeOrInTheReplyIsAnErrorOfTheSocket() {
		this.proxy.on("findAndModify").cutBeforeReply().once();
		assertThatExceptionOfType(MongoSocketException.class).isThrownBy(this::add);
		this.proxy.on("findAndModify").cutInReply().once();
		assertThatExceptionOfType(MongoSocketException.class).isThrownBy(this::add);
		assertThat(stored()).isEqualTo(3);
	}

	@Test
	void aDeadConnectionOrADrippingReplyTimesOut() {
		this.proxy.on("findAndModify").halfOpen().once();
		assertThatTimesOut();
		this.proxy.on("findAndModify").drip(1).once();
		assertThatTimesOut();
		assertThat(add()).isEqualTo(3);
	}

	@Test
	void aBlackholeTimesOutAndDeliversLateOnceHealed() {
		this.proxy.blackhole();
		assertThatTimesOut();
		this.proxy.heal();
		this.proxy.awaitReplies("findAndModify", 2, LONG);
		assertThat(add()).isEqualTo(3);
	}

	@Test
	void aHeldReplyHoldsTheCallerUntilReleased() {
		Hold hold = this.proxy.on("findAndModify").holdReply();
		CompletableFuture<Integer> sum = CompletableFuture.supplyAsync(this::add);
		hold.awaitHeld();
		assertThat(stored()).isEqualTo(2);
		assertThat(sum).isNotDone();
		hold.release();
		assertThat(sum).succeedsWithin(LONG).isEqualTo(2);
	}

	@Test
	void theDriverRecoversFromRefusedConnections() {
		this.proxy.refuseNewConnections();
		this.proxy.cut();
		assertThatExceptionOfType(MongoException.class).isThrownBy(() -> addWithin(Duration.ofMillis(300)));
		this.proxy.heal();
		assertThat(addWithin(LONG)).isEqualTo(2);
	}

	private int add() {
		return addWithin(LONG);
	}

	private int addWithin(Duration timeout) {
		return this.things.withTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
			.findOneAndUpdate(Filters.eq(1), Updates.inc("n", 1),
					new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER))
			.getInteger("n");
	}

	private void assertThatTimesOut() {
		assertThatExceptionOfType(MongoOperationTimeoutException.class)
			.isThrownBy(() -> addWithin(Duration.ofSeconds(1)));
	}

	private int stored() {
		return this.around.getDatabase("test").getCollection("things").find().first().getInteger("n");
	}

}
