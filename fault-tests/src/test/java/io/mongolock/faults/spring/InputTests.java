package io.mongolock.faults.spring;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;

import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Rows 40 and 41: keys and settings are data, stored exactly or refused: a key before the
 * method runs, a setting before the application starts.
 */
@Timeout(120)
@ReadsOutput
class InputTests {

	static final List<Arguments> refused = List.of(Arguments.of("null", null, "the value is null"),
			Arguments.of("empty", "", "the value is blank"), Arguments.of("blank", " \t", "the value is blank"),
			Arguments.of("10 kB", "x".repeat(10_000), "at most 1024 bytes in UTF-8, but this key has 10008"),
			Arguments.of("lone surrogate", "a\ud800", "surrogate"),
			Arguments.of("object", new Object(), "the value is a java.lang.Object"),
			Arguments.of("map", Map.of("a", "b"), "one key"),
			Arguments.of("no elements", List.of(), "the value is empty"),
			Arguments.of("list in a list", List.of(List.of("a")), "one key"),
			Arguments.of("bytes", new byte[] { 1 }, "one key"));

	/** What expressions, placeholders and the server would read in a prefix. */
	private static final String PREFIX = "$$ROOT.#{T(java.lang.Math)}ä😀:";

	@AutoClose
	private static final SpringApp app = new SpringApp(Guarded.class, "mongo-lock.key-prefix=" + PREFIX);

	@ParameterizedTest
	@ValueSource(strings = { "$where", "$$ROOT", "$x", "$_id", "a.b", "a.$[].b", "{$gt: ''}", "a\u0000b", "ä😀", " a ",
			"T(java.lang.Runtime).getRuntime().exit(1)", "#{T(java.lang.Runtime).getRuntime().exit(1)}",
			"#{systemProperties}", "${user.home}", "${no.such.property}", "#root.target", "@guarded", "%s", "a\nb",
			"guarded:a" })
	@ShowsRow(value = 40, level = Level.SPRING)
	void anArgumentAndAPrefixAreStoredExactly(String argument) {
		String stored = PREFIX + "guarded:" + argument;
		String key = app.bean(Guarded.class).run(argument, () -> assertThat(app.isHeld(stored)).isTrue());
		assertThat(key).isEqualTo("guarded:" + argument);
		assertThat(app.isHeld(stored)).isFalse();
	}

	@ParameterizedTest(name = "{0}")
	@FieldSource("refused")
	@ShowsRow(value = 40, level = Level.SPRING)
	void anArgumentThatIsNoKeyIsRefusedBeforeTheMethodRuns(String what, Object argument, String problem) {
		AtomicBoolean entered = new AtomicBoolean();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> app.bean(Guarded.class).run(argument, () -> entered.set(true)))
			.withMessageContaining("Guarded.run(")
			.withMessageContaining(problem);
		assertThat(entered).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			mongo-lock.ttl=-5s                    | 100ms
			mongo-lock.ttl=5 parsecs              | parsecs
			mongo-lock.ttl=P9999999D              | mongo-lock.ttl
			mongo-lock.renew-interval=20s         | 19666ms
			mongo-lock.locks.order.ttl=900ms      | order
			mongo-lock.collection=${no.such}      | mongo-lock.collection
			""")
	@ShowsRow(value = 41, level = Level.SPRING)
	void aSettingThatCannotWorkIsRefusedAtStart(String property, String said, CapturedOutput output) {
		assertThatException().isThrownBy(() -> SpringApp.start(app.uri(), Guarded.class, property).close());
		assertThat(output).contains("APPLICATION FAILED TO START").contains(said).doesNotContain("\tat ");
	}

}
