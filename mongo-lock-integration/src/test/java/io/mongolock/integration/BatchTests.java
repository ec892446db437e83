package io.mongolock.integration;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoDatabase;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.configuration.annotation.StepScope;
import org.springframework.batch.core.configuration.support.MongoDefaultBatchConfiguration;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.scope.context.ChunkContext;
import org.springframework.batch.core.step.Step;
import org.springframework.batch.core.step.StepContribution;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.core.step.tasklet.Tasklet;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
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
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for Spring Batch in two instances of an application, whose jobs and locks are in
 * one database.
 */
class BatchTests {

	private static final String DATABASE = "batch";

	private static final int CHARGES = 10;

	@AutoClose
	private final SuiteStore suite = new SuiteStore();

	private final MongoDatabase database = this.suite.database(DATABASE);

	@AutoClose("shutdownNow")
	private final ExecutorService threads = Executors.newCachedThreadPool();

	private ConfigurableApplicationContext one;

	private ConfigurableApplicationContext other;

	@BeforeEach
	void start() {
		this.database.drop();
		for (String collection : List.of("JOB_INSTANCE", "JOB_EXECUTION", "STEP_EXECUTION")) {
			this.database.createCollection("BATCH_" + collection);
			this.database.getCollection("BATCH_SEQUENCES")
				.insertOne(new Document("_id", "BATCH_" + collection + "_SEQ").append("count", 0L));
		}
		this.one = startInstance();
		this.other = startInstance();
	}

	private ConfigurableApplicationContext startInstance() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties("spring.mongodb.uri=" + this.suite.uri(), "spring.mongodb.database=" + DATABASE,
					"mongo-lock.wait-timeout=1m",
					"spring.autoconfigure.exclude=org.springframework.modulith.events.config.EventPublicationAutoConfiguration")
			.run();
	}

	@AfterEach
	void stop() {
		this.one.close();
		this.other.close();
		this.database.drop();
	}

	@Test
	void whenTwoInstancesLaunchAJobUnderALockThenTheSecondFindsItDone() throws Exception {
		Charges charges = this.one.getBean(Charges.class);
		CountDownLatch going = charges.hold();
		Future<String> first = this.threads.submit(() -> this.one.getBean(Nightly.class).run("monday"));
		await(() -> charges.begun.get() == 1);
		Future<String> second = this.threads.submit(() -> this.other.getBean(Nightly.class).run("monday"));
		await(() -> this.other.getBean(LockTemplate.class).waiting() == 1);
		going.countDown();
		assertThat(first.get(1, TimeUnit.MINUTES)).isEqualTo(BatchStatus.COMPLETED.name());
		assertThat(second.get(1, TimeUnit.MINUTES)).isEqualTo("done before");
		assertThat(this.other.getBean(Charges.class).begun).hasValue(0);
		assertThat(balance()).isEqualTo(CHARGES);
	}

	@Test
	void whenStepsOfTwoJobsChangeADocumentUnderALockThenNoChangeIsLostOrConflicts() throws Exception {
		Charges charges = this.one.getBean(Charges.class);
		CountDownLatch going = charges.hold();
		Future<String> first = this.threads.submit(() -> this.one.getBean(Nightly.class).launch("monday"));
		// Batch does not launch two jobs at the same time
		await(() -> charges.begun.get() == 1);
		Future<String> second = this.threads.submit(() -> this.other.getBean(Nightly.class).launch("tuesday"));
		await(() -> this.other.getBean(LockTemplate.class).waiting() == 1);
		going.countDown();
		assertThat(first.get(2, TimeUnit.MINUTES)).isEqualTo(BatchStatus.COMPLETED.name());
		assertThat(second.get(2, TimeUnit.MINUTES)).isEqualTo(BatchStatus.COMPLETED.name());
		assertThat(balance()).isEqualTo(2 * CHARGES);
	}

	@Test
	void whenAStepEndsItsTransactionThenItsLockWasHeldUntilThen() throws Exception {
		this.one.getBean(Nightly.class).launch("monday");
		assertThat(this.one.getBean(Charges.class).heldAtCommit).hasSize(CHARGES).containsOnly(true);
		assertThat(this.other.getBean(LockOperations.class).tryAcquire(LockRequest.of("balance"))).isPresent();
	}

	private int balance() {
		return this.one.getBean(Charges.class).balance();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(condition);
	}

	static class Nightly {

		private final JobOperator jobs;

		private final Job job;

		Nightly(JobOperator jobs, Job job) {
			this.jobs = jobs;
			this.job = job;
		}

		@DistributedLock(name = "nightly", key = "#day")
		String run(String day) throws Exception {
			return launch(day);
		}

		String launch(String day) throws Exception {
			try {
				return this.jobs.start(this.job, new JobParametersBuilder().addString("day", day).toJobParameters())
					.getStatus()
					.name();
			}
			catch (JobInstanceAlreadyCompleteException ex) {
				return "done before";
			}
		}

	}

	/** A step that reads, changes and writes a document, in a transaction each time. */
	static class Charge implements Tasklet {

		private final Charges charges;

		private final String day;

		private int times;

		Charge(Charges charges, String day) {
			this.charges = charges;
			this.day = day;
		}

		@Override
		@DistributedLock(key = "'balance'")
		public RepeatStatus execute(StepContribution contribution, ChunkContext chunk) throws Exception {
			this.charges.add(this.day);
			return RepeatStatus.continueIf(++this.times < CHARGES);
		}

	}

	static class Charges {

		private final MongoTemplate template;

		private final LockStore store;

		private final AtomicInteger begun = new AtomicInteger();

		private final List<Boolean> heldAtCommit = new CopyOnWriteArrayList<>();

		private volatile CountDownLatch going = new CountDownLatch(0);

		Charges(MongoTemplate template, LockStore store) {
			this.template = template;
			this.store = store;
		}

		CountDownLatch hold() {
			CountDownLatch going = new CountDownLatch(1);
			this.going = going;
			return going;
		}

		void add(String day) throws InterruptedException {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					Charges.this.heldAtCommit.add(Charges.this.store.find("balance", Duration.ofSeconds(30))
						.filter((lock) -> !lock.liveHolders().isEmpty())
						.isPresent());
				}

			});
			this.begun.incrementAndGet();
			this.going.await();
			this.template.save(new Balance("all", balance() + 1, day));
		}

		int balance() {
			Balance balance = this.template.findById("all", Balance.class);
			return (balance != null) ? balance.charges() : 0;
		}

	}

	record Balance(String id, int charges, String day) {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application extends MongoDefaultBatchConfiguration {

		// Which Batch asks for
		@Autowired
		void replaceDots(MappingMongoConverter converter) {
			converter.setMapKeyDotReplacement(".");
		}

		@Bean
		MongoTransactionManager transactionManager(MongoDatabaseFactory database) {
			return new MongoTransactionManager(database);
		}

		@Bean
		Charges charges(MongoTemplate template, LockStore store) {
			return new Charges(template, store);
		}

		@Bean
		@StepScope
		Charge charge(Charges charges, @Value("#{jobParameters['day']}") String day) {
			return new Charge(charges, day);
		}

		@Bean
		Job job(JobRepository jobs, Charge charge, MongoTransactionManager transactions) {
			Step step = new StepBuilder("charge", jobs).tasklet(charge, transactions).build();
			return new JobBuilder("nightly", jobs).start(step).build();
		}

		@Bean
		Nightly nightly(JobOperator jobs, Job job) {
			return new Nightly(jobs, job);
		}

	}

}
