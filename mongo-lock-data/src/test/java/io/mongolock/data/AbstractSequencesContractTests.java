package io.mongolock.data;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.data.store.SequenceStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What {@link Sequences} promise on every kind of server. Each instance of them stands
 * for a JVM.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractSequencesContractTests {

	private static final String NAME = "invoice";

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private MongoClient client;

	abstract String uri();

	@BeforeAll
	void connect() {
		this.client = MongoClients.create(uri());
	}

	@AfterAll
	void disconnect() {
		this.client.close();
	}

	@AfterEach
	void drop() {
		template().getDb().drop();
	}

	MongoTemplate template() {
		return new MongoTemplate(this.client, "mongo_lock_sequences_test");
	}

	@Test
	void numbersBeginAtOneAndRiseByOne() {
		Sequences sequences = sequences(SequenceSettings.DEFAULT);
		assertThat(Stream.generate(() -> sequences.next(NAME)).limit(3)).containsExactly(1L, 2L, 3L);
		assertThat(sequences.next("other")).isEqualTo(1);
	}

	@Test
	void instancesWithoutBlocksShareOneRowOfNumbers() {
		Sequences one = sequences(SequenceSettings.DEFAULT);
		Sequences other = sequences(SequenceSettings.DEFAULT);
		assertThat(LongStream.of(one.next(NAME), other.next(NAME), other.next(NAME), one.next(NAME)))
			.containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void eachInstanceGivesOutItsOwnBlock() {
		Sequences one = sequences(new SequenceSettings(3, 1));
		Sequences other = sequences(new SequenceSettings(3, 1));
		assertThat(one.next(NAME)).isEqualTo(1);
		assertThat(other.next(NAME)).isEqualTo(4);
		assertThat(one.next(NAME)).isEqualTo(2);
		assertThat(one.next(NAME)).isEqualTo(3);
		assertThat(one.next(NAME)).isEqualTo(7);
		assertThat(value()).isEqualTo(9);
	}

	@Test
	void severalNumbersAreOneRowWithoutAGapAndComeFromTheBlockIfTheyFit() {
		Sequences sequences = sequences(new SequenceSettings(10, 1));
		assertThat(sequences.next(NAME, 4)).isEqualTo(new SequenceRange(1, 4));
		assertThat(sequences.next(NAME, 6).stream()).containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
		assertThat(value()).isEqualTo(10);
		sequences.next(NAME);
		assertThat(sequences.next(NAME, 12)).isEqualTo(new SequenceRange(21, 32));
		assertThat(sequences.next(NAME)).as("numbers of one instance rise").isEqualTo(33);
	}

	@Test
	void aSequenceStartsWhereItsSettingsSay() {
		Sequences sequences = sequences(new SequenceSettings(5, 1000));
		assertThat(sequences.next(NAME)).isEqualTo(1000);
		assertThat(sequences.next(NAME, 6)).isEqualTo(new SequenceRange(1005, 1010));
		assertThat(sequences(new SequenceSettings(1, 1000)).next(NAME)).isEqualTo(1011);
	}

	@Test
	void raisedSequencesGoOnAboveAndLowerOnesAreLeftAlone() {
		Sequences sequences = sequences(new SequenceSettings(10, 1));
		sequences.raiseTo(NAME, 100);
		assertThat(sequences.next(NAME)).isEqualTo(101);
		sequences.raiseTo(NAME, 105);
		assertThat(sequences.next(NAME)).as("of the same block").isEqualTo(106);
		sequences.raiseTo(NAME, 50);
		assertThat(sequences.next(NAME)).isEqualTo(107);
		sequences.raiseTo(NAME, 500);
		assertThat(sequences.next(NAME)).isEqualTo(501);
		assertThat(sequences(SequenceSettings.DEFAULT).next(NAME)).isEqualTo(511);
	}

	@Test
	void theEndOfTheRangeIsAnErrorAndNothingChanges() {
		Sequences sequences = sequences(SequenceSettings.DEFAULT);
		sequences.raiseTo(NAME, Long.MAX_VALUE - 2);
		assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> sequences.next(NAME, 3))
			.withMessageContaining("take 3 numbers of sequence 'invoice'")
			.withMessageContaining(String.valueOf(Long.MAX_VALUE));
		assertThat(sequences.next(NAME, 2).last()).isEqualTo(Long.MAX_VALUE);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> sequences.next(NAME))
				.withMessageContaining("take 1 number of sequence 'invoice'");
		}
		assertThat(value()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void theLastNumberOfABlockAtTheEndOfTheRangeIsNotGivenTwice() {
		Sequences sequences = sequences(new SequenceSettings(2, Long.MAX_VALUE - 1));
		assertThat(sequences.next(NAME)).isEqualTo(Long.MAX_VALUE - 1);
		assertThat(sequences.next(NAME)).isEqualTo(Long.MAX_VALUE);
		assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> sequences.next(NAME));
	}

	@Test
	void aValueThatIsNoWholeNumberIsRefused() {
		template().getCollection("sequences").insertOne(new Document("_id", NAME).append("value", 1.5));
		assertThatExceptionOfType(DataIntegrityViolationException.class)
			.isThrownBy(() -> sequences(SequenceSettings.DEFAULT).next(NAME))
			.withMessageContaining("which is no whole number");
	}

	@Test
	void namesAreDataAndBadOnesAreRefused() {
		Sequences sequences = sequences(SequenceSettings.DEFAULT);
		assertThat(sequences.next("$value")).isEqualTo(1);
		assertThat(sequences.next("a.b")).isEqualTo(1);
		assertThatIllegalArgumentException().isThrownBy(() -> sequences.next(" ")).withMessageContaining("is empty");
		assertThatIllegalArgumentException().isThrownBy(() -> sequences.next("x".repeat(1025)))
			.withMessageContaining("The name of the sequence");
		assertThatIllegalArgumentException().isThrownBy(() -> sequences.next(NAME, 0)).withMessageContaining("0");
		assertThatIllegalArgumentException().isThrownBy(() -> sequences.raiseTo(NAME, -1)).withMessageContaining("-1");
	}

	@Test
	void anInterruptedThreadTakesNothingOfABlockAndStaysInterrupted() {
		Sequences sequences = sequences(new SequenceSettings(5, 1));
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(() -> sequences.next(NAME))
			.withMessageContaining("interrupted");
		assertThat(Thread.interrupted()).isTrue();
		assertThat(sequences.next(NAME)).isEqualTo(1);
	}

	@Test
	void noNumberIsGivenTwiceHoweverManyAskAtOnce() throws Exception {
		for (int block : new int[] { 1, 7 }) {
			String name = NAME + block;
			List<Sequences> instances = Stream.generate(() -> sequences(Map.of(name, new SequenceSettings(block, 1))))
				.limit(3)
				.toList();
			List<List<Long>> taken = inParallel(12, (thread) -> numbers(instances.get(thread % 3), name));
			assertThat(taken).allSatisfy((ofOne) -> assertThat(ofOne).isSorted());
			List<Long> all = taken.stream().flatMap(List::stream).toList();
			assertThat(all).doesNotHaveDuplicates().hasSize(12 * 60);
			long atMost = all.size() + 3L * (block - 1) + 12 * 20 * 2;
			assertThat(all).allSatisfy((number) -> assertThat(number).isBetween(1L, atMost));
		}
	}

	@Test
	void theFirstRequestsOfASequenceNobodyHasUsedYetMayComeAtOnce() throws Exception {
		for (int round = 0; round < 20; round++) {
			String name = NAME + round;
			List<Sequences> instances = Stream.generate(() -> sequences(SequenceSettings.DEFAULT)).limit(8).toList();
			List<Long> first = inParallel(8, (thread) -> instances.get(thread).next(name));
			assertThat(first).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
		}
	}

	private static List<Long> numbers(Sequences sequences, String name) {
		List<Long> numbers = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			numbers.add(sequences.next(name));
			sequences.next(name, 2).stream().forEach(numbers::add);
		}
		return numbers;
	}

	private static <T> List<T> inParallel(int threads, OfThread<T> work) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			CyclicBarrier barrier = new CyclicBarrier(threads);
			List<Callable<T>> all = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				all.add(() -> {
					barrier.await();
					return work.run(thread);
				});
			}
			List<T> results = new ArrayList<>();
			for (Future<T> one : pool.invokeAll(all)) {
				results.add(one.get());
			}
			return results;
		}
		finally {
			pool.shutdownNow();
		}
	}

	private long value() {
		return template().getCollection("sequences").find(new Document("_id", NAME)).first().getLong("value");
	}

	private Sequences sequences(SequenceSettings settings) {
		return sequences(Map.of(NAME, settings));
	}

	private Sequences sequences(Map<String, SequenceSettings> settings) {
		MongoTemplate template = template();
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		return Sequences.of(new SequenceStore(template, "sequences", "", TIMEOUT), settings);
	}

	@FunctionalInterface
	private interface OfThread<T> {

		T run(int thread) throws Exception;

	}

}
