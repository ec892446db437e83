package io.mongolock.rewrite;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.spring.ExtendedLockConfigurationExtractor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Result;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.marker.JavaProject;
import org.openrewrite.java.marker.JavaSourceSet;
import org.openrewrite.marker.Marker;
import org.openrewrite.maven.MavenExecutionContextView;
import org.openrewrite.maven.MavenParser;
import org.openrewrite.maven.tree.MavenRepository;
import org.springframework.beans.BeanUtils;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.convert.converter.Converter;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringValueResolver;

import io.mongolock.LockRequest;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.core.DurationPrinter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link SchedulerLockToDistributedLock}: sources before and after, of which
 * those after are compiled.
 */
@Tag("slow")
class SchedulerLockToDistributedLockTests {

	private static final String SHED_LOCK = "net.javacrumbs.shedlock.spring.aop.";

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	/** Indexes the class path once for all sources. */
	private static final JavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

	private static final JavaParser PARSER = JavaParser.fromJavaVersion()
		.classpath("shedlock-spring", "shedlock-core")
		.build();

	private static final String VERSION = "0.1.0-SNAPSHOT";

	@TempDir
	private static Path classes;

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
		assertThat(annotation("@SchedulerLock(name = \"#{#shop}\")")).contains("(key = \"'' + #shop\", ");
		assertThat(annotation("@SchedulerLock(name = \"#{#shop.length()}#{#shop}'s\")"))
			.contains("(key = \"'' + (#shop.length()) + #shop + '''s'\", ");
	}

	// As literals of Java, without their quotes
	@ParameterizedTest
	@ValueSource(strings = { "plain", "job#daily", "@daily", "a'b\\\"c\\\\d", "a\\tb\\nc\\rd\\u0001e\\0",
			"Pr\\u00fcfung", "\ud83d\ude00", "Pr\u00fcfung #{#shop}", "#{#shop}\\n\\u00fc", "settlement-#{#shop}",
			"#{#shop}", "#{#count}", "#{#price}", "#{#shops}", "a-#{#shops}", "#{#count}#{#count}",
			"#{#count + 1}#{#count}", "#{'a'}", "#{'a'}#{#count}#{#count}", "job-#{'a' + #shop}",
			"#{'x'.concat(#shop)}-y", "x-#{'a' == #shop ? 1 : 2}#{#count}", "#{'a' == #shop ? 1 : 2}-y",
			"#{'a' + #count}-#{#count + 'b'}", "#{'a}b' + #shop}", "#{'it''s' + #shop}'s", "#{\\\"a}b\\\" + #shop}-c",
			"a-#{{1, 2}[0]}", "#{ #shop.length() }", "#{#shop.substring(#count - 1)}-#{#shops[0]}", "#{#root2}x",
			"#{T(java.lang.Math).max(1, #count)}m" })
	void theKeyIsTheNameOfShedLock(String literal) throws Exception {
		String before = job("@SchedulerLock(name = \"" + literal + "\", lockAtMostFor = \"1m\")");
		Object[] arguments = { "eins", 2, new BigDecimal("1.50"), List.of("a", "b"), "c" };
		assertThat(key(compiled(turned(before)), arguments)).isEqualTo(shedLock(compiled(before), arguments).getName());
	}

	@Test
	void aTextBlockIsTurned() throws Exception {
		String before = job("@SchedulerLock(name = \"\"\"\n\ta\n\t  b\\n\"c\"\n\t\"\"\")");
		assertThat(key(compiled(turned(before)))).isEqualTo("a\n  b\n\"c\"\n");
	}

	@Test
	void anExpressionOnTheRootIsLeft() {
		for (String expression : List.of("config.prefix", "#root.config", "#this", "'a' + name()", "#shop + (config)",
				"#shops.![toString()]", "#shop.concat(config.suffix)")) {
			assertThat(refused("@SchedulerLock(name = \"a-#{" + expression + "}\")")).as(expression)
				.contains("@DistributedLock gives expressions a different root object");
		}
	}

	@Test
	void aQualifiedAnnotationIsTurned() {
		assertThat(turned("""
				class Jobs {

					@net.javacrumbs.shedlock.spring.annotation.SchedulerLock(name = "a")
					public void run() {
					}

				}
				""")).contains("import io.mongolock.annotation.DistributedLock;")
			.contains("@DistributedLock(name = \"a\"");
	}

	@Test
	void theDefaultsOfAllLocksAreThoseOfEachOneWithoutItsOwn() {
		String configuration = configuration("defaultLockAtMostFor = \"10m\", defaultLockAtLeastFor = \"30s\"");
		for (String open : List.of("", ", lockAtLeastFor = \"\", lockAtMostFor = \" \"")) {
			assertThat(turned(job("@SchedulerLock(name = \"a\"" + open + ")"), configuration))
				.contains("ttl = \"10m\", minHold = \"30s\"");
		}
		assertThat(turned(job("@SchedulerLock(name = \"a\", lockAtMostFor = \"9m\", lockAtLeastFor = \"1s\")"),
				configuration))
			.contains("ttl = \"9m\", minHold = \"1s\"");
		assertThat(turned(job("@SchedulerLock(name = \"a\")"), configuration("defaultLockAtMostFor = \"10m\"")))
			.contains("ttl = \"10m\")");
	}

	@Test
	void aDefaultThatWasTakenOverMayBeShortNow() {
		String configuration = configuration("defaultLockAtMostFor = \"10m\"");
		String after = changedWith("EnableSchedulerLock(", job("@SchedulerLock(name = \"a\")"), configuration);
		assertThat(after).contains("Shorten these ttls, or delete them (the default is 30s). Remove this ");
		assertCompiles(after);
		assertThat(changedWith("EnableSchedulerLock(", job("@SchedulerLock(name = \"a\", lockAtMostFor = \"1m\")"),
				configuration))
			.contains("/*~~(remove this annotation when no @SchedulerLock is left)~~>*/@EnableSchedulerLock");
	}

	@Test
	void whenAMethodIsTurnedThenItAssertsByTheNewLock() {
		String before = """
				import net.javacrumbs.shedlock.core.LockAssert;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Jobs {

					@SchedulerLock(name = "a", lockAtMostFor = "1m")
					public void run() {
						LockAssert.assertLocked();
					}

				}
				""";
		String after = """
				import io.mongolock.LockContext;
				import io.mongolock.OnUnavailable;
				import io.mongolock.annotation.DistributedLock;

				class Jobs {

					@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP, ttl = "1m")
					public void run() {
						LockContext.current().assertHeld();
					}

				}
				""";
		assertThat(turned(before)).isEqualTo(after);
		assertThat(turned(before
			.replace("import net.javacrumbs.shedlock.core.LockAssert",
					"import static net.javacrumbs.shedlock.core.LockAssert.assertLocked")
			.replace("LockAssert.assertLocked()", "assertLocked()"))).isEqualTo(after);
		assertThat(turned(before.replace("class Jobs {", "class Jobs {\n\n\tinterface LockContext {\n\t}\n")
			.replace("LockAssert.assertLocked();", "LockAssert.assertLocked();\n\t\tLockContext other;")))
			.contains("io.mongolock.LockContext.current().assertHeld()");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "LockAssert.assertLocked() | LockAssert throws an exception under a lock of @DistributedLock",
					"LockExtender.extendActiveLock(null, null) | Such a lock renews itself, so remove LockExtender",
					"LockAssert.TestHelper.makeAllAssertsPass(true) | this code locks in ShedLock's store",
					"new DefaultLockingTaskExecutor(null).executeWithLock((Runnable) null, null) | Use LockOperations",
					"LockingTaskExecutor tasks = null | Use LockOperations",
					"new KeepAliveLockProvider(null, null) | does not start with this bean. Remove the bean" })
	void whenCodeOfShedLockIsLeftThenACommentSaysTheWayOut(String statement, String way) {
		String source = """
				import net.javacrumbs.shedlock.core.*;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import net.javacrumbs.shedlock.support.KeepAliveLockProvider;

				class Jobs {

					%s
					public void run() {
						%s;
					}

				}
				""";
		String after = changedWith("class Jobs", source.formatted("", statement));
		assertThat(after).containsPattern("/\\*~~\\(.*" + Pattern.quote(way) + ".*\\)~~>\\*/");
		assertCompiles(after);
		if (!statement.equals("LockAssert.assertLocked()")) {
			assertThat(turned(source.formatted("@SchedulerLock(name = \"a\")", statement))).contains(way);
		}
		assertThat(changed(source.formatted("@SchedulerLock(name = \"\")", statement))).contains("a lock needs a name",
				statement);
	}

	@Test
	void whenAMethodNamesItsProviderThenACommentSaysTheWayOut() {
		String after = changed("""
				import net.javacrumbs.shedlock.spring.annotation.LockProviderToUse;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Jobs {

					@LockProviderToUse("other")
					@SchedulerLock(name = "a")
					public void run() {
					}

				}
				""");
		assertThat(after).containsPattern("/\\*~~\\(.*in its own store.*\\)~~>\\*/@LockProviderToUse");
		assertCompiles(after);
	}

	@Test
	void whenAMethodIsReferredToThenACommentSaysTheWayOut() {
		String after = changedWith("class Jobs", """
				import net.javacrumbs.shedlock.core.LockAssert;

				class Jobs {

					Runnable check = LockAssert::assertLocked;

				}
				""");
		assertThat(after).containsPattern("/\\*~~\\(.*LockContext.current.*\\)~~>\\*/LockAssert::assertLocked");
		assertCompiles(after);
	}

	@Test
	void whenAClassIsAProviderThenACommentSaysTheWayOut() {
		String after = changedWith("class Jobs", """
				import net.javacrumbs.shedlock.core.*;

				class Jobs implements LockProvider {

					@Override
					public java.util.Optional<SimpleLock> lock(LockConfiguration configuration) {
						return java.util.Optional.empty();
					}

				}
				""");
		assertThat(after)
			.containsPattern("/\\*~~\\(.*does not start with this bean. Remove the bean\\)~~>\\*/LockProvider");
		assertCompiles(after);
	}

	@Test
	void aProviderOfLocksSaysTheWayOut() {
		String after = changedWith("class Jobs", """
				import net.javacrumbs.shedlock.core.LockProvider;
				import net.javacrumbs.shedlock.support.KeepAliveLockProvider;

				class Jobs {

					LockProvider lockProvider() {
						return new KeepAliveLockProvider(null, null);
					}

				}
				""");
		assertThat(after).containsOnlyOnce("~~>")
			.contains("an application with mongo-lock-shedlock does not start with this bean. Remove the "
					+ "bean)~~>*/LockProvider lockProvider()");
		assertCompiles(after);
	}

	@Test
	void aModuleWithALockGetsTheStarter(@TempDir Path repository) throws IOException {
		publish(repository, "net.javacrumbs.shedlock", "shedlock-spring", "7.9.0");
		publish(repository, "io.mongolock", "mongo-lock-starter", VERSION);
		String starter = """
						<dependency>
							<groupId>io.mongolock</groupId>
							<artifactId>mongo-lock-starter</artifactId>
							<version>%s</version>
						</dependency>
				""".formatted(VERSION);
		String lock = job("@SchedulerLock(name = \"a\")");
		assertThat(module(repository, pom(""), lock)).hasSize(2).contains(pom(starter));
		assertThat(module(repository, pom(starter), lock)).hasSize(1).noneMatch((after) -> after.contains("<project>"));
		assertThat(module(repository, pom(""), "class Other {\n}\n")).isEmpty();
	}

	private static List<String> module(Path repository, String pom, String source) {
		ExecutionContext context = context();
		MavenExecutionContextView.view(context)
			.setLocalRepository(MavenRepository.builder()
				.id("local")
				.uri(repository.toUri().toString())
				.knownToExist(true)
				.snapshots(true)
				.build())
			.setAddLocalRepository(true)
			.setAddCentralRepository(false);
		Marker module = new JavaProject(Tree.randomId(), "jobs", null);
		Marker main = new JavaSourceSet(Tree.randomId(), "main", List.of(), Map.of());
		List<SourceFile> sources = Stream
			.concat(MavenParser.builder().build().parse(context, pom),
					PARSER.reset().parse(context, source).map((one) -> with(one, main)))
			.map((one) -> with(one, module))
			.toList();
		return results(sources, context).stream().map((result) -> result.getAfter().printAll()).toList();
	}

	private static SourceFile with(SourceFile source, Marker marker) {
		return source.withMarkers(source.getMarkers().add(marker));
	}

	private static void publish(Path repository, String group, String artifact, String version) throws IOException {
		Path directory = Files
			.createDirectories(repository.resolve(group.replace('.', '/')).resolve(artifact).resolve(version));
		Files.writeString(directory.resolve(artifact + "-" + version + ".jar"), "a jar");
		Files.writeString(directory.resolve(artifact + "-" + version + ".pom"), """
				<project>
					<modelVersion>4.0.0</modelVersion>
					<groupId>%s</groupId>
					<artifactId>%s</artifactId>
					<version>%s</version>
				</project>
				""".formatted(group, artifact, version));
	}

	private static String pom(String starter) {
		return """
				<project>
					<modelVersion>4.0.0</modelVersion>
					<groupId>com.example</groupId>
					<artifactId>jobs</artifactId>
					<version>1</version>
					<dependencies>
				%s		<dependency>
							<groupId>net.javacrumbs.shedlock</groupId>
							<artifactId>shedlock-spring</artifactId>
							<version>7.9.0</version>
						</dependency>
					</dependencies>
				</project>
				""".formatted(starter);
	}

	@Test
	void defaultsThatAgreeAreOne() {
		String configuration = configuration("defaultLockAtMostFor = \"10m\", defaultLockAtLeastFor = \"30s\"");
		assertThat(turned(job("@SchedulerLock(name = \"a\")"), configuration,
				configuration.replace("Configuration", "OtherConfiguration")))
			.contains("ttl = \"10m\", minHold = \"30s\"");
	}

	@Test
	void aDefaultThatIsNotKnownLeavesEachLockWithoutItsOwn() {
		String known = configuration("defaultLockAtMostFor = \"10m\", defaultLockAtLeastFor = \"30s\"");
		String none = configuration("defaultLockAtMostFor = \"10m\"").replace("Configuration", "OtherConfiguration");
		String constant = configuration("defaultLockAtMostFor = \"10m\", defaultLockAtLeastFor = Configuration.LEAST");
		String lock = job("@SchedulerLock(name = \"a\", lockAtMostFor = \"1m\")");
		for (List<String> sources : List.of(List.of(lock, known, none), List.of(lock, none, known),
				List.of(lock, constant), List.of(constant, lock))) {
			assertThat(left(sources.toArray(String[]::new))).contains("defaultLockAtLeastFor");
		}
		assertThat(turned(job("@SchedulerLock(name = \"a\", lockAtLeastFor = \"1s\")"), constant))
			.contains("ttl = \"10m\", minHold = \"1s\"");
		assertThat(left(job("@SchedulerLock(name = \"a\", lockAtLeastFor = \"1s\")"),
				configuration("defaultLockAtMostFor = Configuration.LEAST")))
			.contains("defaultLockAtMostFor");
	}

	@Test
	void aTypeOfTheSameNameIsNotMeant() {
		String lock = job("@SchedulerLock(name = \"a\")");
		String qualified = "@io.mongolock.annotation.DistributedLock(name = \"a\", "
				+ "onUnavailable = io.mongolock.OnUnavailable.SKIP)";
		for (String name : List.of("OnUnavailable", "DistributedLock")) {
			String nested = lock.replace("static final", "enum " + name + " { SKIP }\n\n\tstatic final");
			assertThat(turned(nested)).contains(qualified).doesNotContain("import io.mongolock");
			String base = "class Base { enum " + name + " { SKIP } }";
			assertThat(changed(lock.replace("class Jobs", "class Jobs extends Base"), base)).contains(qualified);
			assertThat(changed(lock, "enum " + name + " { SKIP }")).contains(qualified);
			assertThat(
					changed("import other." + name + ";\n" + lock, "package other; public enum " + name + " { SKIP }"))
				.contains(qualified);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "500", "+500", "0", "007", "5S", "+5s", "10M", "2h", "P1D", "1d", "5000us", "7000000ns",
			"PT0.5S", "+PT1M", "-PT-5S", "PT5s", "PT0S" })
	void aDurationIsThatOfShedLock(String duration) throws Exception {
		String before = job(
				"@SchedulerLock(name = \"a\", lockAtMostFor = \"P2D\", lockAtLeastFor = \"" + duration + "\")");
		String minHold = lock(compiled(turned(before))).minHold();
		assertThat(DurationFormatterUtils.detectAndParse(minHold))
			.isEqualTo(shedLock(compiled(before)).getLockAtLeastFor());
		assertThat(DurationPrinter.lacksUnit(minHold)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { " 500 ", "-5", "-5s", "1.5s", "5x", "1h30m", "pt5s", "PT-5S", "10 s",
			"99999999999999999999", "PT", "9223372036854775807d", "*/" })
	void textsThatAreNoDurationOfShedLockAreLeft(String duration) throws Exception {
		String annotation = "@SchedulerLock(name = \"a\", lockAtMostFor = \"P2D\", lockAtLeastFor = \"" + duration
				+ "\")";
		Class<?> before = compiled(job(annotation));
		assertThatException().isThrownBy(() -> shedLock(before));
		assertThat(refused(annotation)).contains("lockAtLeastFor is no duration");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.0005S", "10us", "1ns", "1500us" })
	void aFractionOfAMillisecondIsLeft(String duration) {
		assertThat(refused("@SchedulerLock(name = \"a\", lockAtMostFor = \"" + duration + "\")"))
			.contains("lockAtMostFor is no whole number of milliseconds");
	}

	@Test
	void anAnnotationOnAnAnnotationIsTurnedUnlessItHasAttributes() {
		String nightly = """
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				@SchedulerLock(name = "a")
				@interface Nightly {
				}
				""";
		assertThat(turned(nightly)).contains("@DistributedLock(name = \"a\"");
		assertThat(left(nightly.replace("Nightly {", "Nightly {\n\n\tString most() default \"\";\n")))
			.contains("are aliases");
	}

	@Test
	void whenALockCannotBeTurnedThenACommentSaysWhy() {
		assertThat(refused("@SchedulerLock(name = Jobs.NAME)")).contains("name is no literal");
		assertThat(refused("@SchedulerLock(name = \"a\" + \"b\")")).contains("name is no literal");
		// Which OpenRewrite does not read
		assertThat(refused("@SchedulerLock(name = \"\\ud83d\\ude00\")")).contains("name is no literal");
		assertThat(refused("@SchedulerLock(name = \"${a}-#{#shop}*/\")")).contains("placeholder into the name)~~>*/@");
		assertThat(refused("@SchedulerLock(name = \"a-#{#shop\")")).contains("does not understand the template");
		assertThat(refused("@SchedulerLock(name = \"a-#{'#{'}\")")).contains("does not understand the template");
		assertThat(refused("@SchedulerLock(name = \"a\", lockAtMostFor = \"#{config.most}\")"))
			.contains("lockAtMostFor is an expression");
	}

	@Test
	void otherAnnotationsAreLeftAlone() {
		assertThat(results(job("@Deprecated"))).isEmpty();
	}

	private static String refused(String annotation) {
		return left(job(annotation));
	}

	private static String left(String... sources) {
		return changed(sources).lines().filter((line) -> line.contains("@SchedulerLock")).findFirst().orElseThrow();
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
					public void run(String shop, int count, java.math.BigDecimal price, java.util.List<String> shops,
							String root2) {
					}

				}
				""".formatted(annotation);
	}

	private static String configuration(String attributes) {
		return """
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

				@EnableSchedulerLock(%s)
				class Configuration {

					static final String LEAST = "30s";

				}
				""".formatted(attributes);
	}

	private static String turned(String... sources) {
		String after = changed(sources);
		assertCompiles(after);
		return after;
	}

	private static String changed(String... sources) {
		return changedWith("SchedulerLock(name", sources);
	}

	private static String changedWith(String containing, String... sources) {
		List<Result> results = results(sources).stream()
			.filter((result) -> result.getBefore().printAll().contains(containing))
			.toList();
		assertThat(results).hasSize(1);
		return results.get(0).getAfter().printAll();
	}

	private static List<Result> results(String... sources) {
		ExecutionContext context = context();
		return results(PARSER.reset().parse(context, sources).toList(), context);
	}

	private static ExecutionContext context() {
		return new InMemoryExecutionContext((failure) -> {
			throw new AssertionError(failure);
		});
	}

	private static List<Result> results(List<SourceFile> parsed, ExecutionContext context) {
		return new SchedulerLockToDistributedLock().run(new InMemoryLargeSourceSet(parsed), context)
			.getChangeset()
			.getAllResults();
	}

	private static void assertCompiles(String source) {
		compiled(source);
	}

	private static Class<?> compiled(String source) {
		StringWriter errors = new StringWriter();
		JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Jobs.java"), JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source;
			}

		};
		List<String> options = List.of("-proc:none", "-parameters", "-d", classes.toString());
		assertThat(COMPILER.getTask(errors, FILES, null, options, null, List.of(file)).call()).as("%s", errors)
			.isTrue();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes.toUri().toURL() })) {
			return (source.contains("class Jobs")) ? loader.loadClass("Jobs") : Object.class;
		}
		catch (IOException | ClassNotFoundException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Method method(Class<?> jobs) {
		return Stream.of(jobs.getMethods())
			.filter((method) -> method.getName().equals("run"))
			.findFirst()
			.orElseThrow();
	}

	private static DistributedLock lock(Class<?> jobs) {
		return Objects.requireNonNull(AnnotatedElementUtils.getMergedAnnotation(method(jobs), DistributedLock.class));
	}

	private static String key(Class<?> jobs, Object... arguments) {
		DistributedLock lock = lock(jobs);
		if (lock.key().isEmpty()) {
			return lock.name();
		}
		EvaluationContext context = new MethodBasedEvaluationContext(new Object(), method(jobs), arguments,
				new DefaultParameterNameDiscoverer());
		Object key = Objects.requireNonNull(new SpelExpressionParser().parseExpression(lock.key()).getValue(context));
		return LockRequest.builder(null, key).build().key();
	}

	// What ShedLock itself makes of a method
	private static LockConfiguration shedLock(Class<?> jobs, Object... arguments) throws Exception {
		Class<?> durations = Class.forName(SHED_LOCK + "StringToDurationConverter");
		Constructor<?> extractor = Class.forName(SHED_LOCK + "SpringLockConfigurationExtractor")
			.getConstructor(Duration.class, Duration.class, StringValueResolver.class, Converter.class);
		extractor.setAccessible(true);
		StringValueResolver placeholders = (text) -> text;
		return ((ExtendedLockConfigurationExtractor) extractor.newInstance(Duration.ofMinutes(1), Duration.ZERO,
				placeholders, BeanUtils.instantiateClass(durations)))
			.getLockConfiguration(new Object(), method(jobs), arguments)
			.orElseThrow();
	}

}
