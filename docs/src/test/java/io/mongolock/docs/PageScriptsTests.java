package io.mongolock.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of each page are JavaScript whose names fit together: where there is no
 * browser, Node.js says so.
 */
class PageScriptsTests {

	@TempDir
	private Path folder;

	@ParameterizedTest
	@ValueSource(strings = { "mongo-lock-dashboard/src/main/resources/io/mongolock/dashboard",
			"samples/order-service/src/main/resources/static", "samples/edit-desk/src/main/resources/static" })
	void theScriptsOfAPageBegin(String page) throws Exception {
		for (Path script : scripts(Path.of("..", page))) {
			Files.copy(script, this.folder.resolve(script.getFileName()));
		}
		Files.writeString(this.folder.resolve("package.json"), "{ \"type\": \"module\" }");
		assertThat(node("page.js")).contains("is not defined").doesNotContain("SyntaxError");
	}

	private static List<Path> scripts(Path folder) throws IOException {
		try (Stream<Path> files = Files.list(folder)) {
			return files.filter((file) -> file.toString().endsWith(".js")).toList();
		}
	}

	private String node(String script) throws InterruptedException {
		try {
			Process node = new ProcessBuilder("node", script).directory(this.folder.toFile())
				.redirectErrorStream(true)
				.start();
			String said = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			node.waitFor();
			return said;
		}
		catch (IOException ex) {
			System.out.println("Skipped PageScriptsTests, which needs Node.js: put node on the path to run it");
			throw new TestAbortedException("No node: " + ex.getMessage());
		}
	}

}
