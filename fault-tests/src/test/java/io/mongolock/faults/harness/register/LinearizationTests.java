package io.mongolock.faults.harness.register;

import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Linearization}, on a register of one number.
 */
class LinearizationTests {

	@Test
	void operationsThatOverlapTakeEffectInAnyOrder() {
		assertThat(refuse(new Step(2, 3, 0, 9), new Step(1, 2, 1, 8), new Step(0, 1, 2, 10))).isNull();
	}

	@Test
	void anOperationTakesEffectAfterThoseThatReturnedBeforeItsCall() {
		assertThat(refuse(new Step(1, 2, 0, 4), new Step(0, 1, 4, 9))).isNull();
		assertThat(refuse(new Step(1, 2, 0, 4), new Step(0, 1, 5, 9)))
			.startsWith("no order explains Step[from=1, to=2, calledNanos=0, returnedNanos=4], where the register may "
					+ "stand at [0]\n    refused ");
	}

	@Test
	void everyPossibleOrderIsFollowedUntilALaterOperationRulesItOut() {
		Step one = new Step(0, 1, 0, 9);
		Step other = new Step(0, 2, 0, 9);
		assertThat(refuse(one, other, new Step(1, 0, 1, 3), new Step(2, 2, 8, 9))).isNull();
		assertThat(refuse(one, other, new Step(2, 0, 1, 3), new Step(1, 1, 8, 9))).isNull();
		assertThat(refuse(one, other, new Step(1, 0, 1, 3), new Step(1, 1, 8, 9))).contains("no order explains",
				"after       -0.000 s to    -0.000 s  Step[from=1, to=0, calledNanos=1, returnedNanos=3]");
	}

	@Test
	void anOperationWithoutAnAnswerTakesEffectAtAnyTimeAfterItsCallOrNever() {
		Step unanswered = new Step(0, 1, 2, Operation.NEVER);
		assertThat(refuse(unanswered, new Step(0, 0, 8, 9))).isNull();
		assertThat(refuse(unanswered, new Step(0, 0, 8, 9), new Step(1, 1, 10, 11))).isNull();
		assertThat(refuse(unanswered, new Step(1, 1, 0, 1))).isNotNull();
		assertThat(refuse(unanswered, new Step(1, 1, 8, 9), new Step(0, 0, 10, 11))).isNotNull();
	}

	@Test
	void aLongHistoryTakesNoLongerForEachOperation() {
		List<Step> steps = IntStream.range(0, 100_000).mapToObj((i) -> new Step(i, i + 1, i, i + 3)).toList();
		assertThat(Linearization.refuse(0, steps)).isNull();
	}

	private static @Nullable String refuse(Step... steps) {
		return Linearization.refuse(0, List.of(steps));
	}

	private record Step(int from, int to, long calledNanos, long returnedNanos) implements Operation<Integer> {

		@Override
		public @Nullable Integer apply(Integer state) {
			return (state == this.from) ? this.to : null;
		}

	}

}
