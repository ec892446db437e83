package io.mongolock.test.server;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TestOutput}.
 */
class TestOutputTests {

	private final ByteArrayOutputStream console = new ByteArrayOutputStream();

	private final ByteArrayOutputStream file = new ByteArrayOutputStream();

	private final TestOutput output = new TestOutput(new PrintStream(this.console, true, StandardCharsets.UTF_8));

	private final PrintStream out = this.output.keep(new PrintStream(this.file, true, StandardCharsets.UTF_8));

	@Test
	void aTestThatFailsShowsItsOutputAndNoOther() {
		this.out.println("of the first");
		this.output.testEnded("first()", false);
		this.out.println("of the second: äöü");
		this.output.testEnded("second()", true);
		this.output.testEnded("third()", true);
		assertThat(this.console.toString(StandardCharsets.UTF_8)).contains("second()", "of the second: äöü")
			.doesNotContain("of the first", "third()");
		assertThat(this.file.toString(StandardCharsets.UTF_8)).contains("of the first", "of the second: äöü");
	}

	@Test
	void ofMuchTheLastIsShown() {
		for (int i = 0; i < 10_000; i++) {
			this.out.println("line " + i);
		}
		this.output.testEnded("much()", true);
		assertThat(this.console.toString(StandardCharsets.UTF_8)).contains("line 9999").hasSizeBetween(5_000, 20_000);
	}

}
