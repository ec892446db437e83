package io.mongolock.faults.mutants;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

import io.mongolock.test.server.MongodBinary;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random faults of a real set notice a broken product within two minutes. Takes minutes
 * for each: runs only when asked for by {@code -Dtags.full=none-of-them} with
 * {@code -Pchaos}.
 */
@Tag("chaos")
@Tag("chaos-mutant")
@Isolated
class ChaosMutantTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource("io.mongolock.faults.mutants.Mutants#chaos")
	void aMutantIsNoticedByRandomFaults(Mutant mutant, @TempDir Path broken) throws Exception {
		if (MongodBinary.find().isEmpty()) {
			throw new TestAbortedException(
					"needs a mongod: set " + MongodBinary.NAME + " to one, which config/mongod.sh brings");
		}
		mutant.compile(broken);
		for (Judge judge : mutant.judges()) {
			Judge.Verdict verdict = judge.judge(broken);
			assertThat(verdict.output()).as(mutant.toString()).contains(judge.complaint());
			assertThat(verdict.status()).isEqualTo(1);
		}
	}

}
