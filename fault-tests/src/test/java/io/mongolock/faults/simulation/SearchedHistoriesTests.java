package io.mongolock.faults.simulation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
 * {@code -Dmongo-lock.search.choices=2} with two, and so on, as far as {@link Scope}
 * says.
 */
@Isolated
class SearchedHistoriesTests {

	private final int choices = Integer.getInteger("mongo-lock.search.choices", 1);

	@Tag("simulation")
	@ParameterizedTest
	@EnumSource
	void promisesAreKept(Scope scope) {
		assertThat(SearchMain.run(scope, Math.min(this.choices, scope.depth()), System.out)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void theReadmeSaysWhatIsSearched(Scope scope) throws IOException {
		assertThat(Files.readString(Path.of("README.md"))).contains("| `" + scope + "` | " + scope.about() + " |");
	}

	@Test
	void aHistoryIsReplayedAsAReadableTable() {
		assertThat(replay(Scope.TWO, new Unusual(2, 1))).contains("sends", "executes", "is granted",
				"Unusual choices: 2=1");
	}

	@Test
	void anIdleLeaseIsTakenAgainAndRecalledAsALocalClaimComes() {
		assertThat(replay(Scope.IDLE)).containsSubsequence("leaves its lease idle", "took an idle lease",
				"stands in the queue", "hears of a recall", "RELEASE [c1.1.3]", "CLAIM [c1.1.5]", "token=c2.1",
				"token=c1.1.5");
	}

	@Test
	void aSearchEndsWhenItsTimeIsOver() {
		Search search = Search.of(Scope.BRIEF, 2, Duration.ZERO);
		assertThat(search.broken()).isNull();
		assertThat(search.toLine()).contains("only the first");
	}

	private static String replay(Scope scope, Unusual... unusual) {
		ByteArrayOutputStream table = new ByteArrayOutputStream();
		SearchMain.replay(scope, List.of(unusual), new PrintStream(table));
		return table.toString();
	}

}
