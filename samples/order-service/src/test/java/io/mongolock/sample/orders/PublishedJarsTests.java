package io.mongolock.sample.orders;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Looks into the jars as they are published: this application uses all of them.
 */
@Tag("application")
class PublishedJarsTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent().getParent();

	private final List<Path> jars = Arrays
		.stream(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
		.map(Path::of)
		.filter((entry) -> entry.getFileName().toString().matches("mongo-lock-.*\\.jar"))
		.toList();

	@Test
	void theyAreAllThere() throws IOException {
		try (Stream<Path> modules = Files.list(ROOT)) {
			List<String> published = modules.filter((folder) -> Files.exists(folder.resolve("pom.xml")))
				.filter((folder) -> !read(folder.resolve("pom.xml")).contains("<maven.deploy.skip>true<"))
				.map((folder) -> folder.getFileName().toString())
				.toList();
			assertThat(this.jars).extracting((jar) -> jar.getFileName().toString().replaceFirst("-\\d.*", ""))
				.hasSizeGreaterThan(3)
				.containsExactlyInAnyOrderElementsOf(published);
		}
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
					"io.mongolock.dashboard", "io.mongolock.test", "io.mongolock.test.server");
		assertThat(modules.stream().flatMap((module) -> module.descriptor().packages().stream())).isNotEmpty()
			.doesNotHaveDuplicates();
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
