package io.mongolock.docs;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockProperties;
import io.mongolock.data.MongoLockDataProperties;
import io.mongolock.documents.autoconfigure.MongoLockDocumentsProperties;
import io.mongolock.jobs.MongoLockJobsProperties;
import io.mongolock.leader.MongoLockLeaderProperties;
import io.mongolock.shedlock.MongoLockShedLockProperties;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the documents show is compiled, bound, or there.
 */
class DocumentationTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();

	private static final Path SNIPPETS = ROOT.resolve("docs/src/test/java/io/mongolock/docs");

	private static final Path DASHBOARD = ROOT.resolve("mongo-lock-dashboard/src/test/java");

	private static final Path INTEGRATION = ROOT.resolve("mongo-lock-integration/src/test/java");

	private static final Path SHEDLOCK = ROOT.resolve("mongo-lock-shedlock/src/test/java");

	private static final Path LEADER = ROOT.resolve("mongo-lock-leader/src/test/java");

	private static final Path JOBS = ROOT.resolve("mongo-lock-jobs/src/test/java");

	private static final List<String> GENERATED = List.of("fault-matrix.md", "public-api.md");

	/**
	 * Turns that read as translated; config/checkstyle.xml refuses some of them in Java.
	 */
	private static final Pattern TURN = Pattern
		.compile("\\b[Tt](hat|hose)\\sof\\b|(?<!each\\s|one\\s)\\bof\\swhich\\b|\\bnobody's\\b"
				+ "|\\b(is|are|was|were|be)\\s(warned|heard|notified)\\sof\\b|\\b[Ww]hoever\\b|\\bto\\sbe\\shad\\b|\\b([Hh]e|[Hh]is|[Hh]im|[Hh]imself)\\b"
				+ "|(?<=^|[.:;]\\s|- )(Who|What\\sis)\\s[^?.|]*[.|,:]|(?<=^|[.:]\\s)Not\\s\\w+(ed|en)(,|\\s(is|are)\\b)",
				Pattern.MULTILINE);

	private static final Path FIRST_APPLICATION = ROOT.resolve("docs/src/test/java/com/example/shop");

	@Test
	void everyJavaSnippetIsCompiled() throws IOException {
		List<Path> sources = new ArrayList<>();
		for (Path folder : List.of(SNIPPETS, FIRST_APPLICATION, DASHBOARD, INTEGRATION, SHEDLOCK, LEADER, JOBS)) {
			sources.addAll(files(folder, ".java"));
		}
		String compiled = normalized(String.join("\n", contents(sources)));
		List<String> snippets = snippets("java");
		assertThat(snippets).isNotEmpty();
		assertThat(snippets).allSatisfy((snippet) -> assertThat(compiled).contains(normalized(snippet)));
	}

	@Test
	void theFirstApplicationIsShownWholeFileByFile() throws IOException {
		String document = Files.readString(ROOT.resolve("docs/getting-started.md"));
		List<Path> sources = files(FIRST_APPLICATION, ".java");
		assertThat(sources).isNotEmpty();
		for (Path source : sources) {
			assertThat(document).contains("com/example/shop/" + source.getFileName() + "`:\n\n```java\n"
					+ Files.readString(source) + "```\n");
		}
	}

	@Test
	void everyTestThatATableNamesIsThere() throws IOException {
		List<Path> tests = new ArrayList<>();
		for (String kind : List.of("Tests.java", "Tests.kt")) {
			tests.addAll(files(ROOT, kind));
		}
		List<String> named = Files.readAllLines(ROOT.resolve("fault-tests/works-with.md"))
			.stream()
			.filter((line) -> line.startsWith("| "))
			.map((row) -> row.substring(row.lastIndexOf('|', row.length() - 2) + 1))
			.flatMap((cell) -> Pattern.compile("`(\\w+)`").matcher(cell).results())
			.map((match) -> match.group(1))
			.toList();
		assertThat(named).hasSizeGreaterThan(20)
			.allSatisfy((test) -> assertThat(tests)
				.anyMatch((file) -> file.getFileName().toString().startsWith(test + ".")));
	}

	@Test
	void everyYamlSnippetBindsToTheProperties() throws IOException {
		List<String> snippets = snippets("yaml");
		assertThat(snippets).isNotEmpty();
		for (String snippet : snippets) {
			MutablePropertySources sources = new MutablePropertySources();
			for (PropertySource<?> source : new YamlPropertySourceLoader().load("snippet",
					new ByteArrayResource(snippet.getBytes(StandardCharsets.UTF_8)))) {
				sources.addLast(source);
			}
			List<String> ofNone = new ArrayList<>(unbound(sources, MongoLockProperties.class));
			ofNone.retainAll(unbound(sources, MongoLockDataProperties.class));
			ofNone.retainAll(unbound(sources, MongoLockDocumentsProperties.class));
			ofNone.retainAll(unbound(sources, MongoLockShedLockProperties.class));
			ofNone.retainAll(unbound(sources, MongoLockJobsProperties.class));
			ofNone.retainAll(unbound(sources, MongoLockLeaderProperties.class));
			assertThat(ofNone).isEmpty();
		}
	}

	private static List<String> unbound(MutablePropertySources sources, Class<?> type) {
		try {
			new Binder(ConfigurationPropertySources.from(sources)).bind("mongo-lock", Bindable.of(type),
					new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
			return List.of();
		}
		catch (BindException ex) {
			return ((UnboundConfigurationPropertiesException) ex.getCause()).getUnboundProperties()
				.stream()
				.map((property) -> property.getName().toString())
				.toList();
		}
	}

	@Test
	void everyPropertyIsDescribedAsInTheMetadata() throws IOException {
		String configuration = Files.readString(ROOT.resolve("docs/configuration.md"));
		List<String> rows = new ArrayList<>();
		for (Document one : metadata()) {
			if (!one.getString("name").startsWith("mongo-lock.")) {
				// Of Actuator for its endpoints
				continue;
			}
			Object value = one.get("defaultValue");
			String shown = (value != null && !"".equals(value)) ? "`" + value + "`" : "";
			rows.add("| `" + one.get("name") + "` |");
			assertThat(configuration).contains("| `" + one.get("name") + "` |")
				.contains("| " + shown + " | " + one.get("description") + " |");
		}
		assertThat(rows).hasSizeGreaterThan(10);
		assertThat(Pattern.compile("^\\| `mongo-lock\\.", Pattern.MULTILINE).matcher(configuration).results())
			.hasSameSizeAs(rows);
	}

	@Test
	void theSwitchesForTheActuatorAreInTheMetadata() throws IOException {
		assertThat(metadata())
			.filteredOn((one) -> one.getString("name").startsWith("management.health.")
					|| one.getString("name").startsWith("management.info."))
			.allSatisfy((one) -> assertThat(one).containsKeys("description", "defaultValue")
				.containsEntry("type", "java.lang.Boolean"))
			.extracting((one) -> one.getString("name"))
			.containsExactlyInAnyOrder("management.health.mongolock.enabled", "management.info.mongolock.enabled");
	}

	@Test
	void everyAttributeOfTheAnnotationHasARowAndAnExampleThatIsRun() throws IOException {
		String page = Files.readString(ROOT.resolve("docs/annotation.md"));
		String examples = Files.readString(SNIPPETS.resolve("EachAttributeTests.java"));
		for (Method attribute : DistributedLock.class.getDeclaredMethods()) {
			String name = attribute.getName();
			assertThat(page).containsPattern("(?m)^\\|.*`" + name + "`.*\\|");
			assertThat(examples).containsPattern("this\\.examples(?:\\.|::)" + name + "\\b");
		}
	}

	@Test
	void theJavadocOfTheAnnotationLeadsToEachAttribute() throws IOException {
		String source = Files.readString(ROOT.resolve("mongo-lock-spring/src/main/java")
			.resolve(DistributedLock.class.getName().replace('.', '/') + ".java"));
		String page = source.substring(source.indexOf("/**"), source.indexOf("@Target"));
		assertThat(DistributedLock.class.getDeclaredMethods()).extracting(Method::getName)
			.filteredOn((attribute) -> !"value".equals(attribute))
			.isNotEmpty()
			.allSatisfy((attribute) -> assertThat(page).contains("{@link #" + attribute + "}"));
	}

	@Test
	void theTestsThatThePagesNameExist() throws IOException {
		List<String> tests = new ArrayList<>();
		for (String kind : List.of("Tests.java", "Tests.kt")) {
			files(ROOT, kind).forEach((file) -> tests.add(file.getFileName().toString().replaceFirst("\\..*", "")));
		}
		List<String> named = Pattern.compile("`(\\w+Tests)`")
			.matcher(String.join("\n", contents(pages())))
			.results()
			.map((name) -> name.group(1))
			.toList();
		assertThat(named).isNotEmpty();
		assertThat(tests).containsAll(named);
	}

	@Test
	void theStarterBringsNoWeaver() {
		assertThat(ClassUtils.isPresent("org.aspectj.weaver.Advice", null)).isFalse();
	}

	@Test
	void everyRowThatAGuaranteeNamesIsShown() throws IOException {
		String matrix = Files.readString(ROOT.resolve("fault-tests/fault-matrix.md"));
		List<String> named = Pattern.compile("\\(rows?\\s(\\d+(?:,\\s\\d+)*)\\)")
			.matcher(Files.readString(ROOT.resolve("docs/guarantees.md")))
			.results()
			.flatMap((line) -> Stream.of(line.group(1).split(",\\s")))
			.toList();
		assertThat(named).hasSizeGreaterThan(20);
		assertThat(named)
			.allSatisfy((row) -> assertThat(matrix).containsPattern("(?m)^\\| " + row + " \\|.*\\| shown \\|$"));
		assertThat(matrix).doesNotContain("| FAILED |");
	}

	@Test
	void theDependencyIsThatOfTheStarter() throws IOException {
		String pom = normalized(Files.readString(ROOT.resolve("mongo-lock-starter/pom.xml")));
		String dependency = snippets("xml").get(0);
		for (String element : List.of("groupId", "artifactId", "version")) {
			Matcher value = Pattern.compile("<" + element + ">[^<]+</" + element + ">").matcher(dependency);
			assertThat(value.find()).isTrue();
			assertThat(pom).contains(value.group());
		}
	}

	@Test
	void everyLinkBetweenTheDocumentsLeadsSomewhere() throws IOException {
		List<Path> documents = pages();
		assertThat(documents).contains(ROOT.resolve("CONTRIBUTING.md"), ROOT.resolve("samples/edit-desk/README.md"));
		for (Path document : documents) {
			Matcher link = Pattern.compile("]\\(([^)#: ]*)(?:#([^)]*))?\\)").matcher(Files.readString(document));
			while (link.find()) {
				Path target = link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1));
				assertThat(target).as(document + ": " + link.group()).exists();
				if (link.group(2) != null) {
					assertThat(anchors(target)).as(document + ": " + link.group()).contains(link.group(2));
				}
			}
		}
	}

	// As GitHub makes them
	private static List<String> anchors(Path document) throws IOException {
		return Pattern.compile("^#+ (.*)$", Pattern.MULTILINE)
			.matcher(Files.readString(document))
			.results()
			.map((heading) -> heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-'))
			.toList();
	}

	@Test
	void theReadmeIsShortEnoughToBeRead() throws IOException {
		assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(140);
	}

	@Test
	void noLineIsTooLongToBeReadInAnEditor() throws IOException {
		// A row of a table cannot be broken
		assertThat(written()).filteredOn((line) -> line.text().length() > ((line.text().startsWith("|")) ? 180 : 140))
			.isEmpty();
	}

	@Test
	void everyTableHasAHead() throws IOException {
		List<String> rows = new ArrayList<>();
		for (Path page : pages()) {
			Pattern.compile("\n\n(\\|.*)\n(?!\\|[-|: ]+\n)")
				.matcher(Files.readString(page).replaceAll("(?s)```.*?```", "code"))
				.results()
				.forEach((row) -> rows.add(ROOT.relativize(page) + ": " + row.group(1)));
		}
		assertThat(rows).as("a blank line cuts a table in two").isEmpty();
	}

	@Test
	void theSubjectComesFirst() throws IOException {
		List<String> turns = new ArrayList<>();
		for (Path page : pages()) {
			if (!GENERATED.contains(page.getFileName().toString())) {
				TURN.matcher(Files.readString(page).replaceAll("(?s)```.*?```|`[^`]*`", "code"))
					.results()
					.forEach((turn) -> turns.add(ROOT.relativize(page) + ": " + turn.group()));
			}
		}
		assertThat(turns).isEmpty();
	}

	@Test
	void theClassesThatContributorsAreSentToExist() throws IOException {
		String contributing = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
		String ours = contributing.replaceAll("(?m)^(\\|[^|]+\\|[^|]+\\|[^|]+)\\|.*$", "$1");
		String call = Files.readString(ROOT.resolve("DESIGN.md")).split("\n## ")[0];
		List<String> named = Pattern.compile("`([A-Z]\\w+)[`.]")
			.matcher(ours + call)
			.results()
			.map((type) -> type.group(1) + ".java")
			.distinct()
			.toList();
		assertThat(named).hasSizeGreaterThan(30);
		assertThat(files(ROOT, ".java")).extracting((file) -> file.getFileName().toString()).containsAll(named);
	}

	// All lines of the pages but of those that programs write
	private static List<Line> written() throws IOException {
		List<Line> lines = new ArrayList<>();
		for (Path page : pages()) {
			if (GENERATED.contains(page.getFileName().toString())) {
				continue;
			}
			List<String> texts = Files.readAllLines(page);
			for (int i = 0; i < texts.size(); i++) {
				lines.add(new Line(ROOT.relativize(page) + ":" + (i + 1), texts.get(i)));
			}
		}
		return lines;
	}

	private static List<Path> pages() throws IOException {
		return files(ROOT, ".md").stream().filter((file) -> !file.toString().contains("/target/")).toList();
	}

	private static List<Document> metadata() throws IOException {
		List<Document> properties = new ArrayList<>();
		for (URL file : Collections.list(MongoLockProperties.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			if (file.toString().contains("mongo-lock")) {
				try (InputStream json = file.openStream()) {
					properties.addAll(Document.parse(new String(json.readAllBytes(), StandardCharsets.UTF_8))
						.getList("properties", Document.class));
				}
			}
		}
		return properties;
	}

	private static List<String> snippets(String language) throws IOException {
		List<String> snippets = new ArrayList<>();
		for (String document : contents(documents())) {
			Matcher snippet = Pattern.compile("```" + language + "\n(.*?)\n```", Pattern.DOTALL).matcher(document);
			while (snippet.find()) {
				snippets.add(snippet.group(1));
			}
		}
		return snippets;
	}

	private static List<Path> documents() throws IOException {
		List<Path> documents = new ArrayList<>(files(ROOT.resolve("docs"), ".md"));
		documents.add(0, ROOT.resolve("README.md"));
		return documents;
	}

	private static List<Path> files(Path folder, String suffix) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(suffix)).sorted().toList();
		}
	}

	private static List<String> contents(List<Path> files) throws IOException {
		List<String> contents = new ArrayList<>();
		for (Path file : files) {
			contents.add(Files.readString(file));
		}
		return contents;
	}

	private static String normalized(String text) {
		return text.replaceAll("\\s+", " ");
	}

	/** A line of a page, and where it is. */
	private record Line(String place, String text) {

	}

}
