package io.mongolock.faults.spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises hold in all states of fault-tests/spec/Lock.tla, as its configurations
 * bound them, and each is seen broken where the specification is.
 */
@Tag("tlc")
@Isolated
class SpecCheckTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "Lock.cfg", "Shared.cfg", "Late.cfg", "Deleted.cfg" })
	void promisesHoldInAllStates(String configuration) throws IOException {
		String output = new Tlc(this.directory).check(Tlc.text("Lock.tla"), Tlc.text(configuration), 2);
		System.out.println(configuration + ": " + output.lines()
			.filter((line) -> line.contains("distinct states found, 0 states left") || line.startsWith("Finished in "))
			.toList());
		assertThat(output).contains("No error has been found", " 0 states left on queue");
	}

	@ParameterizedTest
	@MethodSource("mutants")
	void aBrokenSpecificationIsNoticed(SpecMutant mutant) throws IOException {
		assertThat(mutant.output(new Tlc(this.directory)))
			.containsPattern("(Invariant|Action property) " + mutant.complaint() + " is violated");
	}

	static List<SpecMutant> mutants() {
		return SpecMutant.all();
	}

}
