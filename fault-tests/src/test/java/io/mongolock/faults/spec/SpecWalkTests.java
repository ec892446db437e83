package io.mongolock.faults.spec;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.RealServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statements of the product and those of fault-tests/spec/Lock.tla make the same of a
 * document, on random walks of the latter. {@code -Dmongo-lock.simulation.seed} repeats
 * them.
 */
@Tag("process")
class SpecWalkTests {

	/** Of nine clients; of two twice as many. */
	private static final int WALKS = 100;

	private static final int DEPTH = 40;

	private static final String NINE = "{a, b, c, d, e, f, g, h, i}";

	/** So that what is late more often meets a later entry of the same client. */
	private static final String TWO = "{a, b}";

	@TempDir
	private static Path directory;

	private static List<Walk> walks;

	@BeforeAll
	static void walk() throws IOException {
		String given = System.getProperty("mongo-lock.simulation.seed", "");
		long seed = (given.isEmpty()) ? new SecureRandom().nextLong() : Long.parseLong(given);
		System.out.println("The specification is walked with seed " + seed);
		walks = new ArrayList<>();
		walk("nine", NINE, WALKS, seed);
		walk("two", TWO, 2 * WALKS, seed);
	}

	private static void walk(String name, String clients, int number, long seed) throws IOException {
		String bounds = Tlc.text("Walks.cfg").replace(NINE, clients);
		for (Path file : new Tlc(directory).walk(name, bounds, number, DEPTH, seed)) {
			walks.add(Walk.read(file));
		}
	}

	@Test
	void statementsOnTheEmbeddedServerAgreeWithTheSpecification() {
		try (Harness harness = Harness.embedded()) {
			assertThat(replay(harness, walks)).isGreaterThan(WALKS * 30);
		}
	}

	@Test
	void statementsOnARealServerAgreeWithTheSpecification() {
		RealServer.replicaSet();
		try (Harness harness = Harness.onAnyServer()) {
			assertThat(replay(harness, walks.subList(WALKS * 7 / 8, WALKS * 9 / 8))).isPositive();
		}
	}

	private static int replay(Harness harness, List<Walk> walks) {
		int statements = 0;
		for (Walk walk : walks) {
			Replay replay = new Replay(harness.store(), harness.documents(), new Replay.Lengths(3, 2, 1000),
					walk.name());
			statements += replay.run(walk);
		}
		System.out.println(statements + " statements on " + harness.label() + " agree with the specification");
		return statements;
	}

}
