package io.mongolock.faults.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.mongolock.faults.simulation.Choices.Unusual;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises, in all histories of each scope with at most one unusual choice; with
 * {@code -Dmongo-lock.search.choices=2} with two, where that takes no more than minutes.
 */
@Tag("simulation")
@Isolated
class SearchedHistoriesTests {

	private final int choices = Integer.getInteger("mongo-lock.search.choices", 1);

	@ParameterizedTest
	@EnumSource
	void promisesAreKept(Scope scope) {
		assertThat(SearchMain.run(scope, Math.min(this.choices, scope.depth()), System.out)).isTrue();
	}

	@Test
	void aHistoryIsReplayedAsAReadableTable() {
		ByteArrayOutputStream table = new ByteArrayOutputStream();
		SearchMain.replay(Scope.TWO, List.of(new Unusual(2, 1)), new PrintStream(table));
		assertThat(table.toString()).contains("sends", "executes", "is granted", "Unusual choices: 2=1");
	}

}
