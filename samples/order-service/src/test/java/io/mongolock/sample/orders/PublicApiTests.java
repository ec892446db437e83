package io.mongolock.sample.orders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps {@code config/public-api.md}, which says what users may rely on in all published
 * modules: a change of it is made on purpose, and seen in review. Here, as
 * {@link PublishedJarsTests}, since no other module is built after all of them.
 */
class PublicApiTests {

	private static final Path ROOT = Path.of("..", "..");

	private static final Path DOCUMENT = ROOT.resolve("config/public-api.md");

	private static final List<String> API = List.of("io.mongolock", "io.mongolock.annotation", "io.mongolock.data",
			"io.mongolock.documents", "io.mongolock.integration", "io.mongolock.jobs", "io.mongolock.leader",
			"io.mongolock.test", "io.mongolock.test.autoconfigure", "io.mongolock.test.faults",
			"io.mongolock.test.embedded", "io.mongolock.test.proxy", "io.mongolock.spi", "io.mongolock.store");

	private static final String HEAD = """
			# Public API

			What users may rely on, in all published modules; `spi` and `store` are for modules that keep locks elsewhere. Kept by
			`PublicApiTests`; after a change on purpose, write it anew with

			    ./mvnw -pl samples/order-service -am test -Dtest=PublicApiTests \\
			      -Dsurefire.failIfNoSpecifiedTests=false -Dpublic-api.write

			""";

	private static final String WIRING = """
			## Public for the wiring only

			These are public because packages of the library work together. They may change at any time; beans of these types may
			be replaced, but are best left alone.
			""";

	private final List<JavaClass> types = new ClassFileImporter().importPaths(published())
		.stream()
		.filter(PublicApiTests::isVisible)
		.sorted(Comparator.comparing(JavaClass::getName))
		.toList();

	@Test
	void thePublicApiIsThatOfTheDocument() throws IOException {
		String api = HEAD + API.stream().map(this::section).collect(Collectors.joining()) + wiring();
		if (System.getProperty("public-api.write") != null) {
			Files.writeString(DOCUMENT, api);
		}
		assertThat(api).isEqualTo(Files.readString(DOCUMENT));
	}

	@Test
	void eachPublishedModuleIsLookedAt() {
		assertThat(published()).hasSizeGreaterThan(5)
			.allMatch(Files::isDirectory)
			.extracting((classes) -> classes.getParent().getParent().getFileName().toString())
			.contains("mongo-lock-integration", "mongo-lock-jobs", "mongo-lock-leader", "mongo-lock-test");
	}

	// Their compiled classes; the starter has none
	static List<Path> published() {
		try (Stream<Path> folders = Files.list(ROOT)) {
			return folders.filter((folder) -> Files.isDirectory(folder.resolve("src/main/java")))
				.filter((folder) -> folder.getFileName().toString().startsWith("mongo-lock-"))
				.map((folder) -> folder.resolve("target/classes"))
				.sorted()
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isApiType(JavaClass type) {
		return API.contains(type.getPackageName()) && !type.getSimpleName().endsWith("AutoConfiguration");
	}

	private String section(String packageName) {
		return "## " + packageName + "\n\n```\n"
				+ of((type) -> type.getPackageName().equals(packageName) && isApiType(type))
					.map(PublicApiTests::describe)
					.collect(Collectors.joining("\n"))
				+ "```\n\n";
	}

	private String wiring() {
		TreeMap<String, List<String>> byPackage = of((type) -> !isApiType(type))
			.filter((type) -> type.getEnclosingClass().isEmpty())
			.collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new,
					Collectors.mapping(JavaClass::getSimpleName, Collectors.toList())));
		return WIRING + byPackage.entrySet()
			.stream()
			.map((entry) -> "\n    " + entry.getKey() + "\n        " + String.join("\n        ", entry.getValue())
					+ "\n")
			.collect(Collectors.joining());
	}

	private Stream<JavaClass> of(Predicate<JavaClass> condition) {
		return this.types.stream().filter(condition);
	}

	private static String describe(JavaClass type) {
		String members = Stream.concat(type.getFields().stream(), type.getCodeUnits().stream())
			.filter(PublicApiTests::isApi)
			.filter((member) -> !isImplied(type, member))
			.map((member) -> "    " + describe(member) + "\n")
			.sorted()
			.distinct()
			.collect(Collectors.joining());
		return kind(type) + " " + name(type) + supertypes(type) + "\n" + members;
	}

	private static String describe(JavaMember member) {
		String modifiers = (member.getModifiers().contains(JavaModifier.STATIC)) ? "static " : "";
		if (!(member instanceof JavaCodeUnit unit)) {
			return modifiers + name(((JavaField) member).getType()) + " " + member.getName();
		}
		String parameters = unit.getParameterTypes()
			.stream()
			.map(PublicApiTests::name)
			.collect(Collectors.joining(", "));
		return modifiers + ((unit instanceof JavaMethod) ? name(unit.getReturnType()) + " " + unit.getName()
				: name(unit.getOwner())) + "(" + parameters + ")";
	}

	private static boolean isVisible(JavaClass type) {
		return type.getModifiers().contains(JavaModifier.PUBLIC) && !type.getSimpleName().isEmpty()
				&& !type.getSimpleName().equals("package-info")
				&& type.getEnclosingClass().map(PublicApiTests::isVisible).orElse(true);
	}

	private static boolean isApi(JavaMember member) {
		Set<JavaModifier> modifiers = member.getModifiers();
		return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
				&& !modifiers.contains(JavaModifier.SYNTHETIC) && !modifiers.contains(JavaModifier.BRIDGE);
	}

	/** What every enum and record has. */
	private static boolean isImplied(JavaClass type, JavaMember member) {
		boolean inEnum = type.isEnum() && List.of("values", "valueOf").contains(member.getName());
		return inEnum || List.of("equals", "hashCode", "toString").contains(member.getName());
	}

	private static String kind(JavaClass type) {
		return (type.isAnnotation()) ? "@interface" : (type.isInterface()) ? "interface"
				: (type.isEnum()) ? "enum" : (type.isRecord()) ? "record" : "class";
	}

	private static String supertypes(JavaClass type) {
		String parents = Stream
			.concat(type.getRawSuperclass().stream(),
					type.getRawInterfaces().stream().sorted(Comparator.comparing(PublicApiTests::name)))
			.filter((parent) -> !parent.getPackageName().equals("java.lang")
					|| parent.getSimpleName().equals("AutoCloseable"))
			.filter((parent) -> !parent.getPackageName().equals("java.lang.annotation"))
			.map(PublicApiTests::name)
			.collect(Collectors.joining(", "));
		return (parents.isEmpty()) ? "" : " : " + parents;
	}

	private static String name(JavaType type) {
		// java.util.List<io.mongolock.LockHolder> as List<LockHolder>
		return type.getName().replaceAll("[a-z][\\w]*\\.", "").replace('$', '.');
	}

}
