package io.mongolock.rewrite;

import java.io.StringWriter;
import java.net.URI;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SchedulerLockToDistributedLock}: sources before and after, of which
 * those after are compiled.
 */
class SchedulerLockToDistributedLockTests {

	@Test
	void aLockOfAScheduledMethodIsTurned() {
		assertThat(turned("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Jobs {

					@SchedulerLock(name = "settlement", lockAtMostFor = "10m", lockAtLeastFor = "PT1M")
					public void settle() {
					}

				}
				""")).isEqualTo(
				"""
						import io.mongolock.OnUnavailable;
						import io.mongolock.annotation.DistributedLock;

						class Jobs {

							@DistributedLock(name = "settlement", onUnavailable = OnUnavailable.SKIP, ttl = "10m", minHold = "PT1M")
							public void settle() {
							}

						}
						""");
	}

	@Test
	void aPlaceholderStaysWhereItIs() {
		assertThat(annotation("@SchedulerLock(name = \"${job}\", lockAtMostFor = \"${most:10m}\")")).isEqualTo(
				"@DistributedLock(name = \"${job}\", onUnavailable = OnUnavailable.SKIP, ttl = \"${most:10m}\")");
	}

	@Test
	void aNumberIsMilliseconds() {
		assertThat(annotation("@SchedulerLock(name = \"a\", lockAtMostFor = \"5000\", lockAtLeastFor = \"20\")"))
			.contains("ttl = \"5000ms\", minHold = \"20ms\"");
	}

	@Test
	void aTemplateBecomesAnExpressionForTheSameKey() {
		assertThat(annotation("@SchedulerLock(name = \"settlement-#{#shop}\")"))
			.isEqualTo("@DistributedLock(key = \"'settlement-' + #shop\", onUnavailable = OnUnavailable.SKIP)");
		assertThat(annotation("@SchedulerLock(name = \"#{#shop}\")")).contains("(key = \"#shop\", ");
		assertThat(annotation("@SchedulerLock(name = \"#{#shop.length()}#{#shop}'s\")"))
			.contains("(key = \"'' + (#shop.length()) + #shop + '''s'\", ");
	}

	@Test
	void theLeastTimeOfAllLocksIsThatOfEachOneWithoutItsOwn() {
		String configuration = """
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

				@EnableSchedulerLock(defaultLockAtMostFor = "10m", defaultLockAtLeastFor = "30s")
				class Configuration {
				}
				""";
		assertThat(turned(job("@SchedulerLock(name = \"a\")"), configuration)).contains("minHold = \"30s\"");
		assertThat(turned(job("@SchedulerLock(name = \"a\", lockAtLeastFor = \"1s\")"), configuration))
			.contains("minHold = \"1s\"");
	}

	@Test
	void whatCannotBeTurnedSaysWhy() {
		assertThat(refused("@SchedulerLock(name = Jobs.NAME)")).contains("name is no literal");
		assertThat(refused("@SchedulerLock(name = \"a\", lockAtMostFor = \"10us\")"))
			.contains("10us is no whole milliseconds");
		assertThat(refused("@SchedulerLock(name = \"${a}-#{#shop}\")")).contains("a key has no placeholders");
		assertThat(refused("@SchedulerLock(name = \"a-#{{1}[0]}\")")).contains("a template that is not understood");
	}

	@Test
	void otherAnnotationsAreLeftAlone() {
		assertThat(results(job("@Deprecated"))).isEmpty();
	}

	private static String refused(String annotation) {
		return results(job(annotation)).get(0)
			.getAfter()
			.printAll()
			.lines()
			.filter((line) -> line.contains("@SchedulerLock"))
			.findFirst()
			.orElseThrow();
	}

	private static String annotation(String annotation) {
		return turned(job(annotation)).lines()
			.filter((line) -> line.contains("@DistributedLock"))
			.findFirst()
			.orElseThrow()
			.strip();
	}

	private static String job(String annotation) {
		return """
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Jobs {

					static final String NAME = "a";

					%s
					public void run(String shop) {
					}

				}
				""".formatted(annotation);
	}

	private static String turned(String... sources) {
		List<Result> results = results(sources);
		assertThat(results).hasSize(1);
		String after = results.get(0).getAfter().printAll();
		assertCompiles(after);
		return after;
	}

	private static List<Result> results(String... sources) {
		ExecutionContext context = new InMemoryExecutionContext((failure) -> {
			throw new AssertionError(failure);
		});
		List<SourceFile> parsed = JavaParser.fromJavaVersion()
			.classpath("shedlock-spring")
			.build()
			.parse(context, sources)
			.toList();
		return new SchedulerLockToDistributedLock().run(new InMemoryLargeSourceSet(parsed), context)
			.getChangeset()
			.getAllResults();
	}

	private static void assertCompiles(String source) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter errors = new StringWriter();
		JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Jobs.java"), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source;
			}

		};
		assertThat(
				compiler.getTask(errors, null, null, List.of("-proc:none", "-d", "target"), null, List.of(file)).call())
			.as("%s", errors)
			.isTrue();
	}

}
