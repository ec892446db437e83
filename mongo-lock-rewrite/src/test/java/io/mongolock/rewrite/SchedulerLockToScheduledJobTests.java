package io.mongolock.rewrite;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.Result;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.maven.AddDependency;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SchedulerLockToScheduledJob}: sources before and after, of which those
 * after are compiled.
 */
@Tag("slow")
class SchedulerLockToScheduledJobTests {

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	private static final JavaParser PARSER = JavaParser.fromJavaVersion()
		.classpath("shedlock-spring", "shedlock-core", "spring-context")
		.build();

	@TempDir
	private static Path classes;

	@Test
	void aScheduledMethodWithALockBecomesAJob() {
		assertThat(turned("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import org.springframework.scheduling.annotation.Scheduled;

				class Jobs {

					/** Settles. */
					@Deprecated
					@Scheduled(cron = "${settle.cron:0 0 3 * * *}", zone = "Europe/Berlin")
					@SchedulerLock(name = "settlement", lockAtMostFor = "10m")
					public void settle() {
					}

					// each shop
					@Scheduled(fixedDelay = 5000)
					@SchedulerLock(name = "shops")
					void shops() {
					}

					@SchedulerLock(name = "orders")
					// often
					@Scheduled(fixedRateString = "${rate}")
					void orders() {
					}

				}
				""")).isEqualTo("""
				import io.mongolock.jobs.ScheduledJob;

				class Jobs {

					/** Settles. */
					@Deprecated
					@ScheduledJob(name = "settlement", cron = "${settle.cron:0 0 3 * * *}", zone = "Europe/Berlin")
					public void settle() {
					}

					// each shop
					@ScheduledJob(name = "shops", fixedDelay = "5000ms")
					void shops() {
					}

					// often
					@ScheduledJob(name = "orders", fixedRate = "${rate}")
					void orders() {
					}

				}
				""");
	}

	@Test
	void whenAMethodIsTurnedThenItAssertsByTheNewLock() {
		String job = job("@Scheduled(cron = \"@daily\")", "@SchedulerLock(name = \"a\")", "void");
		String asserts = job.replaceFirst("import", "import net.javacrumbs.shedlock.core.LockAssert;\nimport")
			.replaceFirst("(?s)(run\\(\\) \\{)", "$1\n\t\tLockAssert.assertLocked();");
		assertThat(asserts).contains("LockAssert.assertLocked()");
		assertThat(turned(asserts)).contains("LockContext.current().assertHeld();").doesNotContain("shedlock");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\0', value = { "fixedRate = 10_000L | fixedRate = \"10000ms\"",
			"fixedRate = 10, timeUnit = TimeUnit.SECONDS | fixedRate = \"10s\"",
			"fixedDelayString = \"5\", timeUnit = java.util.concurrent.TimeUnit.MINUTES | fixedDelay = \"5m\"",
			"fixedDelayString = \"PT5S\" | fixedDelay = \"PT5S\"", "fixedRateString = \"10s\" | fixedRate = \"10s\"",
			"fixedRateString = \"${rate:5000}\" | fixedRate = \"${rate:5000}\"", "cron = \"-\" | cron = \"-\"" })
	void aScheduleIsThatOfTheMethod(String schedule, String turned) {
		assertThat(turned(job("@Scheduled(" + schedule + ")", "@SchedulerLock(name = \"a\")", "void")))
			.contains("@ScheduledJob(name = \"a\", " + turned + ")")
			.doesNotContain("@Scheduled(", "import java.util.concurrent.TimeUnit", "shedlock");
	}

	@Test
	void aNameMayHaveAPlaceholder() {
		assertThat(turned(job("@Scheduled(cron = \"@daily\")", "@SchedulerLock(name = \"${env}-a\")", "void")))
			.contains("@ScheduledJob(name = \"${env}-a\", cron = \"@daily\")");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\0', value = {
			"@Scheduled(fixedRate = 1000, initialDelay = 10) | name = \"a\" | a job has no initialDelay",
			"@Scheduled(fixedRate = 1000, initialDelayString = \"1s\") | name = \"a\" | a job has no initialDelay",
			"@Scheduled(cron = \"@daily\", scheduler = \"s\") | name = \"a\" | a job has no scheduler",
			"@Scheduled(fixedRateString = \"#{@rate}\") | name = \"a\" | fixedRate is no literal with a unit",
			"@Scheduled(fixedRateString = \"1h30m\") | name = \"a\" | fixedRate is no literal with a unit",
			"@Scheduled(fixedRate = 60 * 1000) | name = \"a\" | fixedRate is no literal",
			"@Scheduled(fixedRate = 60, timeUnit = TimeUnit.MICROSECONDS) | name = \"a\" | fixedRate is no literal",
			"@Scheduled(fixedRateString = \"${r}\", timeUnit = TimeUnit.SECONDS) | name = \"a\" | fixedRate is no literal",
			"@Scheduled(cron = Jobs.CRON) | name = \"a\" | cron is no literal",
			"@Scheduled(cron = \"#{@cron}\") | name = \"a\" | cron is an expression",
			"@Scheduled(cron = \"@daily\") @Scheduled(fixedRate = 1) | name = \"a\" | this method has 2",
			"@Deprecated | name = \"a\" | this method has 0",
			"@Scheduled(cron = \"@daily\") | name = \"#{#job}\" | without expressions",
			"@Scheduled(cron = \"@daily\") | name = Jobs.CRON | name is no literal",
			"@org.springframework.scheduling.annotation.Async @Scheduled(cron = \"@daily\") | name = \"a\" | needs no @Async" })
	void whenALockCannotBecomeAJobThenACommentSaysWhy(String schedule, String name, String why) {
		String before = job(schedule, "@SchedulerLock(" + name + ")", "void");
		String after = changed(before);
		assertThat(after).contains(why, schedule);
		assertThat(after.replaceAll("/\\*~~\\(.*\\)~~>\\*/", "")).isEqualTo(before);
	}

	@Test
	void aMethodThatReturnsSomethingIsLeft() {
		String schedule = "@Scheduled(cron = \"@daily\")";
		assertThat(changed(job(schedule, "@SchedulerLock(name = \"a\")", "int"))).contains("a job must return void")
			.contains(schedule);
		assertThat(
				turned(job(schedule, "@SchedulerLock(name = \"a\")", "java.util.concurrent.CompletableFuture<String>")))
			.contains("@ScheduledJob(name = \"a\", cron = \"@daily\")");
	}

	@Test
	void anAnnotationOfTheApplicationIsLeft() {
		assertThat(changed("""
				@net.javacrumbs.shedlock.spring.annotation.SchedulerLock(name = "a")
				@interface Nightly {
				}
				""")).contains("a job is one method");
	}

	@Test
	void whenLockAtLeastForIsDroppedThenACommentAsksForALessFrequentSchedule() {
		assertThat(turned(
				job("@Scheduled(fixedRate = 1000)", "@SchedulerLock(name = \"a\", lockAtLeastFor = \"5s\")", "void")))
			.contains("make the schedule less frequent)~~>*/@ScheduledJob(name = \"a\", fixedRate = \"1000ms\")");
	}

	@Test
	void aTypeOfTheSameNameIsNotMeant() {
		String job = job("@Scheduled(fixedRate = 1000)", "@SchedulerLock(name = \"a\")", "void");
		assertThat(turned(job.replace("static final", "class ScheduledJob { }\n\n\tstatic final")))
			.contains("@io.mongolock.jobs.ScheduledJob(name = \"a\"")
			.doesNotContain("import io.mongolock");
	}

	@Test
	void modulesGetTheStarterAndTheJobs() {
		assertThat(new SchedulerLockToScheduledJob().getRecipeList())
			.extracting((Recipe recipe) -> ((AddDependency) recipe).getArtifactId())
			.containsExactly("mongo-lock-starter", "mongo-lock-jobs");
	}

	private static String job(String schedule, String lock, String type) {
		return """
				import java.util.concurrent.TimeUnit;

				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import org.springframework.scheduling.annotation.Scheduled;

				class Jobs {

					static final String CRON = "@daily";

					%s
					%s
					public %s run() {
						%s
					}

				}
				""".formatted(schedule, lock, type, switch (type) {
			case "void" -> "";
			case "int" -> "return 1;";
			default -> "return null;";
		});
	}

	private static String turned(String source) {
		String after = changed(source);
		StringWriter errors = new StringWriter();
		JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Jobs.java"), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return after;
			}

		};
		assertThat(COMPILER
			.getTask(errors, null, null, List.of("-proc:none", "-d", classes.toString()), null, List.of(file))
			.call()).as("%s in %s", errors, after).isTrue();
		return after;
	}

	private static String changed(String source) {
		ExecutionContext context = new InMemoryExecutionContext((failure) -> {
			throw new AssertionError(failure);
		});
		List<Result> results = new SchedulerLockToScheduledJob()
			.run(new InMemoryLargeSourceSet(PARSER.reset().parse(context, source).toList()), context)
			.getChangeset()
			.getAllResults();
		assertThat(results).hasSize(1);
		return results.get(0).getAfter().printAll();
	}

}
