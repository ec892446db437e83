package io.mongolock.store;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyText}.
 */
class KeyTextTests {

	@Test
	void textThatStaysInItsPlaceIsPrintedAsItIs() {
		String text = "order:42 ß 漢 🔒 \\n 'x'";
		assertThat(KeyText.printable(text)).isSameAs(text);
	}

	@ParameterizedTest
	@CsvSource({ "10, 000A", "13, 000D", "0, 0000", "27, 001B", "127, 007F", "133, 0085", "8232, 2028", "8233, 2029",
			"8238, 202E", "8294, 2066", "8203, 200B", "65279, FEFF", "55357, D83D" })
	void aCharacterThatCouldForgeALineIsPrintedAsItsNumber(int unit, String number) {
		assertThat(KeyText.printable("a" + (char) unit + "b")).isEqualTo("a\\u" + number + "b");
	}

	@Test
	void formatCharactersBeyondTheBasicPlaneArePrintedAsBothHalves() {
		assertThat(KeyText.printable("🔒" + Character.toString(0xE0001))).isEqualTo("🔒\\uDB40\\uDC01");
	}

}
