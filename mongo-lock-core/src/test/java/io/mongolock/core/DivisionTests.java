package io.mongolock.core;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Division}.
 */
class DivisionTests {

	@Test
	void whenAThousandAreDividedThenEachStandsAloneAfterThree() {
		assertThat(Division.part(1_000)).isEqualTo(63);
		assertThat(Division.part(63)).isEqualTo(4);
		assertThat(Division.part(4)).isEqualTo(1);
		assertThat(Division.depth(1_000)).isEqualTo(3);
		assertThat(Division.depth(1)).isZero();
		assertThat(Division.depth(0)).isZero();
	}

	@Test
	void whenItIsDividedThenEachIsInOnePartAndInOrder() {
		List<Integer> whole = IntStream.range(0, 100).boxed().toList();
		List<List<Integer>> parts = Division.parts(whole);
		assertThat(parts).hasSize(15).allMatch((part) -> part.size() <= 7);
		assertThat(parts.stream().flatMap(List::stream)).containsExactlyElementsOf(whole);
		assertThat(Division.parts(List.of())).isEmpty();
	}

	@Test
	void whenOneMayGoWithFewThenItsBatchIsThatSmall() {
		List<List<Integer>> batches = Division.batches(List.of(3, 1, 3, 2, 1, 3, 3, 2), (most) -> most, (any) -> "");
		assertThat(batches).containsExactly(List.of(3, 3, 3), List.of(1), List.of(2, 2), List.of(1), List.of(3));
	}

	@Test
	void whenKindsDifferThenTheyDoNotGoTogether() {
		assertThat(Division.batches(List.of("a1", "b1", "a2", "a3"), (any) -> 2, (one) -> one.charAt(0)))
			.containsExactly(List.of("a1", "a2"), List.of("b1"), List.of("a3"));
	}

}
