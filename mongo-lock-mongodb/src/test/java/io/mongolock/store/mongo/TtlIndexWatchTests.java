package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mockito.ArgumentCaptor;
import org.mockito.ArgumentMatchers;
import org.mockito.invocation.InvocationOnMock;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.util.ReflectionUtils;

import io.mongolock.store.mongo.TtlIndexInitializer.Mode;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link TtlIndexWatch}. The test runs what is scheduled.
 */
@ExtendWith(OutputCaptureExtension.class)
class TtlIndexWatchTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	/** The one of the server, which is sometimes away. */
	private final MongoDatabase database = mock(MongoDatabase.class, this::answer);

	private final MongoOperations template = mock();

	private final ScheduledExecutorService scheduler = mock();

	private final BooleanSupplier check = mock();

	private boolean away;

	@BeforeEach
	void connect() {
		given(this.check.getAsBoolean()).willReturn(true);
		given(this.template.execute(ArgumentMatchers.<DbCallback<MongoDatabase>>any())).willReturn(this.database);
		MongoCollection<BsonDocument> collection = mock();
		given(this.template.execute(eq("locks"),
				ArgumentMatchers.<CollectionCallback<MongoCollection<BsonDocument>>>any()))
			.willReturn(collection);
	}

	private @Nullable Object answer(InvocationOnMock call) {
		if (call.getMethod().getReturnType() == MongoDatabase.class) {
			return call.getMock();
		}
		if (this.away) {
			throw new MongoTimeoutException("Timed out while waiting for a server");
		}
		return ReflectionUtils.invokeMethod(call.getMethod(), this.client.getDatabase(TestTemplates.DATABASE),
				call.getArguments());
	}

	@Test
	void anIndexThatWasDroppedIsBackWithinTheHour(CapturedOutput output) {
		TtlIndexWatch watch = start(Mode.CREATE);
		assertThat(watch.isRunning()).isTrue();
		assertThat(indexes()).contains("touchedAt_1");
		locks().drop();
		assertThat(runScheduled()).isEqualTo(HOUR);
		assertThat(indexes()).contains("touchedAt_1");
		assertThat(runScheduled()).isEqualTo(HOUR);
		assertThat(output).containsOnlyOnce("was gone and has been created again").doesNotContain("WARN");
	}

	@Test
	void anIndexThatNoServerWasThereForAtStartIsCreatedSoonAfterItIs(CapturedOutput output) {
		this.away = true;
		start(Mode.CREATE);
		List<Duration> distances = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			distances.add(runScheduled());
		}
		assertThat(distances).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
		assertThat(output).containsOnlyOnce("MongoDB has not answered").contains("is checked again then");
		this.away = false;
		runScheduled();
		assertThat(indexes()).contains("touchedAt_1");
		assertThat(output).containsOnlyOnce("is as it should be now");
		this.away = true;
		assertThat(runScheduled()).isEqualTo(HOUR);
		assertThat(runScheduled()).as("the first again").isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void aLastingProblemIsReportedOnce(CapturedOutput output) {
		start(Mode.VALIDATE);
		runScheduled();
		runScheduled();
		assertThat(output).containsOnlyOnce("is missing");
		locks().createIndex(new Document("touchedAt", 1));
		runScheduled();
		runScheduled();
		assertThat(output).containsOnlyOnce("removes no documents, because it has no expireAfterSeconds");
	}

	@Test
	void withoutModeTheServerIsCheckedAndTheIndexNotLookedAt() {
		given(this.check.getAsBoolean()).willReturn(false);
		start(Mode.NONE);
		assertThat(runScheduled()).as("not answered").isEqualTo(Duration.ofSeconds(1));
		given(this.check.getAsBoolean()).willReturn(true);
		assertThat(runScheduled()).isEqualTo(Duration.ofSeconds(2));
		assertThat(runScheduled()).isEqualTo(HOUR);
		then(this.database).shouldHaveNoInteractions();
	}

	@ParameterizedTest
	@EnumSource
	void aRefusalAtTheStartIsThrownAndShutsTheSchedulerDown(Mode mode) {
		given(this.check.getAsBoolean()).willThrow(new IllegalStateException("no locks here"));
		assertThatIllegalStateException().isThrownBy(() -> start(mode)).withMessage("no locks here");
		then(this.scheduler).should().shutdownNow();
	}

	@Test
	void aRefusalAfterTheStartIsAnErrorAndIsCheckedAgainInAnHour(CapturedOutput output) {
		this.away = true;
		start(Mode.CREATE);
		then(this.check).should(never()).getAsBoolean();
		this.away = false;
		given(this.check.getAsBoolean()).willThrow(new IllegalStateException("no locks here"));
		runScheduled();
		assertThat(output).containsOnlyOnce("ERROR").contains("no locks here");
		willReturn(true).given(this.check).getAsBoolean();
		assertThat(runScheduled()).as("not at once").isEqualTo(HOUR);
		assertThat(runScheduled()).isEqualTo(HOUR);
		assertThat(output).containsOnlyOnce("ERROR");
	}

	@Test
	void aRefusalAsTheApplicationEndsIsNotLoggedAsAnError(CapturedOutput output) {
		start(Mode.CREATE);
		given(this.check.getAsBoolean()).willThrow(new IllegalStateException("no beans any more"));
		given(this.scheduler.isShutdown()).willReturn(true);
		runScheduled();
		assertThat(output).doesNotContain("ERROR");
	}

	@Test
	void theThreadEndsWithTheApplication() {
		TtlIndexWatch watch = start(Mode.CREATE);
		then(this.scheduler).should(never()).shutdownNow();
		watch.stop();
		then(this.scheduler).should().shutdownNow();
		assertThat(watch.isRunning()).isFalse();
	}

	@Test
	void aLookThatTheStopInterruptsIsSilent(CapturedOutput output) {
		this.away = true;
		Thread.currentThread().interrupt();
		start(Mode.CREATE);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(output).doesNotContain("WARN");
	}

	private TtlIndexWatch start(Mode mode) {
		TtlIndexWatch watch = new TtlIndexWatch(
				new TtlIndexInitializer(this.template, "locks", mode, Duration.ofDays(7), () -> Duration.ZERO), HOUR,
				this.check, () -> this.scheduler);
		watch.start();
		return watch;
	}

	private Duration runScheduled() {
		ArgumentCaptor<Runnable> look = ArgumentCaptor.captor();
		ArgumentCaptor<Long> millis = ArgumentCaptor.captor();
		then(this.scheduler).should(atLeastOnce())
			.schedule(look.capture(), millis.capture(), eq(TimeUnit.MILLISECONDS));
		look.getValue().run();
		return Duration.ofMillis(millis.getValue());
	}

	private MongoCollection<Document> locks() {
		return this.client.getDatabase(TestTemplates.DATABASE).getCollection("locks");
	}

	private List<String> indexes() {
		return locks().listIndexes().map((index) -> index.getString("name")).into(new ArrayList<>());
	}

}
