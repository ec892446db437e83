package io.mongolock.faults.spring;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Whatever an argument brings into a key is data: stored exactly, or refused before the
 * method runs.
 */
@Timeout(120)
@StartsApplication
class KeyInputTests {

	static final List<Arguments> refused = List.of(Arguments.of("null", null, "it is null"),
			Arguments.of("empty", "", "it is blank"), Arguments.of("blank", " \t", "it is blank"),
			Arguments.of("10 kB", "x".repeat(10_000), "at most 1024 bytes of UTF-8; this one is 10008"),
			Arguments.of("lone surrogate", "a\ud800", "surrogate"),
			Arguments.of("object", new Object(), "it is a java.lang.Object"),
			Arguments.of("list", List.of("a"), "one key"), Arguments.of("array", new int[] { 1 }, "one key"));

	private static EmbeddedMongo mongo;

	private static OtherClient other;

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		mongo = EmbeddedMongo.start();
		other = new OtherClient(mongo.connectionString());
		context = SpringApp.start(mongo.connectionString(), Guarded.class);
	}

	@AfterAll
	static void stop() {
		context.close();
		other.close();
		mongo.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "$where", "$$ROOT", "$x", "$_id", "a.b", "a.$[].b", "{$gt: ''}", "a\u0000b", "ä😀", " a ",
			"T(java.lang.Runtime).getRuntime().exit(1)", "#{T(java.lang.Runtime).getRuntime().exit(1)}",
			"#{systemProperties}", "${user.home}", "${no.such.property}", "#root.target", "@guarded", "%s", "a\nb",
			"guarded:a" })
	@ShowsRow(value = 40, level = Level.SPRING)
	void anArgumentIsStoredExactly(String argument) {
		String key = context.getBean(Guarded.class)
			.run(argument, () -> assertThat(other.holder("guarded:" + argument)).isPresent());
		assertThat(key).isEqualTo("guarded:" + argument);
		assertThat(other.holder("guarded:" + argument)).isEmpty();
	}

	@ParameterizedTest(name = "{0}")
	@FieldSource("refused")
	@ShowsRow(value = 40, level = Level.SPRING)
	void anArgumentThatIsNoKeyIsRefusedBeforeTheMethodRuns(String what, Object argument, String problem) {
		AtomicBoolean entered = new AtomicBoolean();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> context.getBean(Guarded.class).run(argument, () -> entered.set(true)))
			.withMessageContaining("Guarded.run(")
			.withMessageContaining(problem);
		assertThat(entered).isFalse();
	}

}
