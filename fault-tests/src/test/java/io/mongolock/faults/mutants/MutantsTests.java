package io.mongolock.faults.mutants;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Mutants}: whoever changes a piece that one of them names learns it in
 * the short loop.
 */
class MutantsTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "io.mongolock.faults.mutants.Mutants#all", "io.mongolock.faults.mutants.Mutants#chaos" })
	void aMutantFitsTheProduct(Mutant mutant) throws Exception {
		assertThat(mutant.patched()).contains(mutant.to());
	}

}
