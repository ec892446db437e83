package io.mongolock.docs;

import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The machine may decide what the build runs, and not what it compiles and checks.
 */
class BuildTests {

	private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();

	private static final Set<String> SETS = Set.of("id", "activation", "properties");

	@Test
	void whenAProfileLooksAtTheMachineThenItSetsPropertiesAlone() throws Exception {
		List<Element> ofTheMachine = new ArrayList<>();
		for (Path pom : poms()) {
			NodeList profiles = DocumentBuilderFactory.newInstance()
				.newDocumentBuilder()
				.parse(pom.toFile())
				.getElementsByTagName("profile");
			IntStream.range(0, profiles.getLength())
				.mapToObj((index) -> (Element) profiles.item(index))
				.filter(BuildTests::looksAtTheMachine)
				.forEach(ofTheMachine::add);
		}
		assertThat(ofTheMachine).hasSizeGreaterThan(2).allSatisfy((profile) -> {
			NodeList parts = profile.getChildNodes();
			assertThat(IntStream.range(0, parts.getLength()).mapToObj(parts::item))
				.filteredOn((part) -> part.getNodeType() == Node.ELEMENT_NODE)
				.extracting(Node::getNodeName)
				.as(profile.getTextContent())
				.isSubsetOf(SETS);
		});
	}

	@Test
	void whenTestsHaveALongTagThenVerifyRunsThem() throws Exception {
		Matcher tags = Pattern.compile("<tags.long>(.+)</tags.long>")
			.matcher(Files.readString(ROOT.resolve("pom.xml")));
		assertThat(tags.find()).isTrue();
		Pattern isLong = Pattern.compile("@Tag\\(\"(?:" + tags.group(1).replace(" ", "") + ")\"\\)");
		List<Path> modules = new ArrayList<>();
		for (Path pom : poms()) {
			if (hasTests(pom.resolveSibling("src/test/java"), isLong)) {
				modules.add(pom);
			}
		}
		assertThat(modules).hasSizeGreaterThan(4)
			.allSatisfy((pom) -> assertThat(pom).content()
				.as(pom.toString())
				.contains("<artifactId>maven-failsafe-plugin</artifactId>"));
	}

	private static boolean hasTests(Path folder, Pattern pattern) throws Exception {
		if (!Files.exists(folder)) {
			return false;
		}
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				if (pattern.matcher(Files.readString(file)).find()) {
					return true;
				}
			}
		}
		return false;
	}

	private static boolean looksAtTheMachine(Element profile) {
		NodeList activations = profile.getElementsByTagName("activation");
		if (activations.getLength() == 0) {
			return false;
		}
		Element activation = (Element) activations.item(0);
		return Stream.of("file", "jdk", "os").anyMatch((by) -> activation.getElementsByTagName(by).getLength() > 0)
				|| activation.getTextContent().contains("env.");
	}

	private static List<Path> poms() throws Exception {
		List<Path> poms = new ArrayList<>();
		Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {

			@Override
			public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
				return Set.of("target", "src", ".git").contains(directory.getFileName().toString())
						? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				if (file.endsWith("pom.xml")) {
					poms.add(file);
				}
				return FileVisitResult.CONTINUE;
			}

		});
		return poms;
	}

}
