package io.mongolock.documents;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random programs of two instances that lock documents and write them in all ways there
 * are: no acknowledged write is lost, no document has two holders, nothing is refused
 * that is allowed, and all is released in the end. {@code -Dsimulation.seed=} brings back
 * the first one of a run; a failure prints its own.
 */
class DocumentProgramsTests {

	private static final long SEED = Long.getLong("mongo-lock.simulation.seed", System.nanoTime());

	private static final int HISTORIES = Integer.getInteger("mongo-lock.simulation.histories", 5_000);

	private static final Duration SHRINKING = Duration.ofMinutes(1);

	@Test
	void theSameProgramsKeepAllPromisesEachTime() {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			run(server.connectionString(), false, 1, 60, Duration.ofHours(1));
		}
	}

	// Random ones seldom come to these
	@ParameterizedTest
	@ValueSource(strings = { "0 LOCK, 0 TICKET, 0 RUN_OUT, 2 LOCK, 2 CLOSE, 2 PLAIN_UPDATE, 0 RESUME, 0 SAVE",
			"0 LOCK, 0 TICKET, 2 PLAIN_UPDATE, 0 RENEW_TICKET, 0 RESUME, 0 SAVE",
			"0 LOCK, 1 LOAD, 1 PLAIN_SAVE, 0 SAVE, 1 PLAIN_SAVE, 1 LOAD, 1 PLAIN_SAVE",
			// with what another thread of the instance has locked
			"1 BEGIN, 1 LOCK, 0 LOAD, 0 BEGIN, 0 SAVE 4, 0 COMMIT, 0 PLAIN_SAVE, 0 LOAD, 0 PLAIN_SAVE",
			"1 BEGIN, 1 LOCK, 0 LOAD, 0 SAVE 4, 0 PLAIN_SAVE, 0 LOAD, 0 PLAIN_SAVE",
			"0 LOCK, 1 BEGIN, 1 CLOSE 4, 1 COMMIT, 1 LOCK", "1 BEGIN, 1 LOCK, 0 BEGIN, 0 CLOSE 4, 1 COMMIT, 0 COMMIT",
			"1 LOCK, 0 BEGIN, 0 SAVE 4, 0 BREAK, 0 COMMIT",
			"3 BEGIN, 3 LOCK, 2 TICKET 4, 2 RESUME, 2 SAVE, 2 PLAIN_SAVE, 2 LOAD, 2 PLAIN_SAVE" })
	void soDoThese(String program) {
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();
				ProgramWorld world = new ProgramWorld(server.connectionString())) {
			for (int document = 0; document < DocumentProgram.DOCUMENTS; document++) {
				DocumentProgram steps = DocumentProgram.of(program, document);
				assertThat(ProgramRun.failure(world, document, steps)).isEmpty();
			}
		}
	}

	@Test
	void otherProgramsKeepThemToo() {
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			run(server.connectionString(), false, SEED, HISTORIES, Duration.ofSeconds(3));
		}
	}

	@Test
	@Tag("simulation")
	@Tag("real-server")
	void programsWithTransactionsDoToo() {
		Optional<String> real = SuiteServer.get().uri().filter(ProgramWorld::hasTransactions);
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start()) {
			run(real.orElse(server.connectionString()), true, SEED, HISTORIES, Duration.ofMillis(HISTORIES));
		}
	}

	private static void run(String uri, boolean transactions, long seed, int programs, Duration time) {
		System.out.println("Programs from -Dmongo-lock.simulation.seed=" + seed);
		AtomicLong numbers = new AtomicLong();
		try (ProgramWorld world = new ProgramWorld(uri)) {
			int run = 0;
			long began = System.nanoTime();
			while (run < programs && System.nanoTime() - began < time.toNanos()) {
				DocumentProgram program = DocumentProgram.random(seed + run, transactions);
				long first = seed + run++;
				Optional<String> failure = ProgramRun.failure(world, numbers.incrementAndGet(), program);
				assertThat(failure).as(() -> describe(world, numbers, program, first, failure.orElseThrow())).isEmpty();
			}
			System.out.println(run + " programs kept all promises");
		}
	}

	private static String describe(ProgramWorld world, AtomicLong numbers, DocumentProgram program, long seed,
			String failure) {
		String reason = reason(failure);
		DocumentProgram shrunk = program.shrunk((fewer) -> ProgramRun.failure(world, numbers.incrementAndGet(), fewer)
			.filter((other) -> reason(other).equals(reason))
			.isPresent(), SHRINKING);
		return "a program of -Dmongo-lock.simulation.seed=" + seed + ", as short as it fails:\n"
				+ ProgramRun.failure(world, numbers.incrementAndGet(), shrunk).orElse(failure);
	}

	// Of what kind it is, without what differs between programs
	private static String reason(String failure) {
		String last = failure.substring(failure.indexOf("=> "));
		return last.lines().findFirst().orElse("").replaceAll("[0-9]+", "#").replaceAll("\\[.*?]", "[]");
	}

}
