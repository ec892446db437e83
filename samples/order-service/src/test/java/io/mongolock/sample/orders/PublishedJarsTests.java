package io.mongolock.sample.orders;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
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
			.containsExactlyInAnyOrder("io.mongolock", "io.mongolock.documents", "io.mongolock.starter",
					"io.mongolock.dashboard", "io.mongolock.test", "io.mongolock.test.server", "io.mongolock.aspectj");
		assertThat(modules.stream().flatMap((module) -> module.descriptor().packages().stream())).isNotEmpty()
			.doesNotHaveDuplicates();
	}

	private static Stream<Path> published() {
		return list(ROOT).filter((folder) -> Files.exists(folder.resolve("pom.xml")))
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
