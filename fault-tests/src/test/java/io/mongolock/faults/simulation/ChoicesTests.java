package io.mongolock.faults.simulation;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.simulation.Choices.Unusual;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Choices}.
 */
class ChoicesTests {

	private final List<String> histories = new ArrayList<>();

	@Test
	void allHistoriesWithSoManyUnusualChoicesComeOnce() {
		run(List.of(), 1);
		assertThat(this.histories).containsExactlyInAnyOrder("000", "100", "010", "020", "001");
		this.histories.clear();
		run(List.of(), 3);
		assertThat(this.histories).hasSize(12).doesNotHaveDuplicates().contains("000", "121", "021", "111");
	}

	@Test
	void aChoiceThatAnotherOpensIsAChoice() {
		Choices usual = new Choices(List.of());
		assertThat(usual.happens(0.1)).isFalse();
		assertThat(usual.next()).containsExactly(List.of(new Unusual(0, 1)));
		Choices unusual = new Choices(usual.next().get(0));
		assertThat(unusual.happens(0.1)).isTrue();
		assertThat(unusual.between(0, 1_000_000_000)).isEqualTo(999_999_999);
		assertThat(unusual.next()).extracting(Object::toString).containsExactly("[0=1, 1=1]", "[0=1, 1=2]");
	}

	@Test
	void theUsualIsTheProbableAndTheLate() {
		Choices usual = new Choices(List.of());
		assertThat(usual.happens(0.7)).isTrue();
		assertThat(usual.between(5, 10_000_005)).isEqualTo(10_000_004);
		Choices unusual = new Choices(Unusual.parse("0=1,1=1,2=2"));
		assertThat(unusual.happens(0.7)).isFalse();
		assertThat(unusual.between(5, 10_000_005)).isEqualTo(5);
		assertThat(unusual.between(0, 1_000_000_000)).isEqualTo(500_000_000);
	}

	@Test
	void alternativesThatExcludeEachOtherAreOneChoice() {
		Choices usual = new Choices(List.of());
		assertThat(usual.which(0.4, 0.5)).isNegative();
		assertThat(usual.next()).extracting(Object::toString).containsExactly("[0=1]", "[0=2]");
		assertThat(new Choices(Unusual.parse("0=2")).which(0.4, 0.5)).isEqualTo(1);
	}

	@Test
	void nothingIsUnusualFromTheEndOfAllChoicesOn() {
		Choices choices = new Choices(Unusual.parse("0=1,1=1"));
		assertThat(choices.happens(0.1)).isTrue();
		assertThat(choices.met()).isEqualTo(1);
		choices.settle();
		assertThat(choices.happens(0.1)).isFalse();
		assertThat(choices.next()).isEmpty();
	}

	@Test
	void historiesHaveAnOrder() {
		assertThat(compare("3=1", "4=1")).isNegative();
		assertThat(compare("3=2", "3=1,4=1")).isPositive();
		assertThat(compare("3=1", "3=1,4=1")).isNegative();
		assertThat(compare("3=1,5=1", "3=1,5=1")).isZero();
	}

	private static int compare(String one, String other) {
		return Unusual.compare(Unusual.parse(one), Unusual.parse(other));
	}

	@Test
	void anInstantIsNoChoice() {
		Choices choices = new Choices(List.of());
		assertThat(choices.between(7, 8)).isEqualTo(7);
		assertThat(choices.between(7, 1_000_000)).isEqualTo(7);
		assertThat(choices.next()).isEmpty();
	}

	// Three choices, with two, three and two ways
	private void run(List<Unusual> unusual, int more) {
		Choices choices = new Choices(unusual);
		this.histories.add("" + choices.among(2) + choices.among(3) + choices.among(2));
		if (more > 0) {
			choices.next().forEach((next) -> run(next, more - 1));
		}
	}

}
