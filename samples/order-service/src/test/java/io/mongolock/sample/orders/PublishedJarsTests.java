package io.mongolock.sample.orders;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Looks into the jars as they are published: this application has all of them built.
 */
@Tag("application")
class PublishedJarsTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent().getParent();

	private static final Path BOM = ROOT.resolve("mongo-lock-bom");

	private final List<Path> jars = published().flatMap(PublishedJarsTests::jars).toList();

	@Test
	void theyAreAllThere() {
		assertThat(this.jars).extracting((jar) -> jar.getFileName().toString().replaceFirst("-\\d.*", ""))
			.hasSizeGreaterThan(3)
			.containsExactlyInAnyOrderElementsOf(published().map((folder) -> folder.getFileName().toString()).toList());
	}

	@Test
	void eachHasItsLicense() throws IOException {
		for (Path jar : this.jars) {
			try (JarFile file = new JarFile(jar.toFile())) {
				assertThat(file.getEntry("META-INF/LICENSE")).as(jar.toString()).isNotNull();
			}
		}
	}

	@Test
	void eachHasANameForTheModulePathAndPackagesOfItsOwn() {
		List<ModuleReference> modules = this.jars.stream()
			.flatMap((jar) -> ModuleFinder.of(jar).findAll().stream())
			.toList();
		assertThat(modules).extracting((module) -> module.descriptor().name())
			.containsExactlyInAnyOrder("io.mongolock", "io.mongolock.autoconfigure", "io.mongolock.store.mongo",
					"io.mongolock.spring", "io.mongolock.data", "io.mongolock.documents", "io.mongolock.starter",
					"io.mongolock.dashboard", "io.mongolock.test", "io.mongolock.test.server", "io.mongolock.aspectj",
					"io.mongolock.integration", "io.mongolock.jobs", "io.mongolock.leader", "io.mongolock.rewrite",
					"io.mongolock.shedlock");
		assertThat(modules.stream().flatMap((module) -> module.descriptor().packages().stream())).isNotEmpty()
			.doesNotHaveDuplicates();
	}

	@Test
	void theBomNamesEachOfThemInItsOwnVersionAndNothingElse() {
		List<String> named = all("dependency", BOM);
		assertThat(named).extracting((dependency) -> element("artifactId", dependency).get(0))
			.containsExactlyInAnyOrderElementsOf(published().map((folder) -> folder.getFileName().toString()).toList());
		assertThat(named).extracting((dependency) -> element("version", dependency).get(0))
			.containsOnly("${project.version}");
	}

	/** So that an application of another Spring Boot keeps its own. */
	@Test
	void whenAModuleNeedsSpringThenItsPomNamesNoVersionOfIt() {
		List<String> ofSpring = published().flatMap((folder) -> all("dependency", folder).stream())
			.filter((dependency) -> dependency.contains("<groupId>org.springframework")
					&& !dependency.contains("<scope>test"))
			.toList();
		assertThat(ofSpring).hasSizeGreaterThan(10).noneMatch((dependency) -> dependency.contains("<version>"));
	}

	@Test
	void theyAreWhatIsBuiltWhereOnlyTheJarsAreAskedFor() {
		assertThat(Pattern.compile("<module>(.+?)</module>").matcher(all("modules", ROOT).get(0)).results())
			.extracting((module) -> module.group(1))
			.containsExactlyInAnyOrderElementsOf(Stream.concat(Stream.of(BOM), published())
				.map((folder) -> folder.getFileName().toString())
				.toList());
	}

	@Test
	void eachSaysWhatMavenCentralAsksFor() {
		for (Path folder : Stream.concat(Stream.of(BOM, ROOT), published()).toList()) {
			assertThat(all("name", folder)).as(folder.toString()).isNotEmpty();
			assertThat(all("description", folder)).as(folder.toString()).hasSize(1);
		}
		for (String about : List.of("url", "licenses", "developers", "scm")) {
			assertThat(all(about, ROOT)).as(about).isNotEmpty();
		}
	}

	private static List<String> all(String element, Path folder) {
		return element(element, read(folder.resolve("pom.xml")));
	}

	private static List<String> element(String element, String text) {
		return Pattern.compile("<" + element + "(?: [^>]*)?>(.*?)</" + element + ">", Pattern.DOTALL)
			.matcher(text)
			.results()
			.map((match) -> match.group(1))
			.toList();
	}

	private static Stream<Path> published() {
		return list(ROOT).filter((folder) -> Files.exists(folder.resolve("pom.xml")) && !folder.equals(BOM))
			.filter((folder) -> !read(folder.resolve("pom.xml")).contains("<maven.deploy.skip>true<"));
	}

	// Without those of tests, sources and Javadoc
	private static Stream<Path> jars(Path folder) {
		String name = folder.getFileName() + "-\\d[^-]*(-SNAPSHOT)?\\.jar";
		return list(folder.resolve("target")).filter((file) -> file.getFileName().toString().matches(name));
	}

	private static Stream<Path> list(Path folder) {
		try (Stream<Path> entries = Files.list(folder)) {
			return entries.toList().stream();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
