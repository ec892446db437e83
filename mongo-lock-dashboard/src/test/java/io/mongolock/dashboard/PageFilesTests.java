package io.mongolock.dashboard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.BeanUtils;
import org.springframework.context.annotation.ImportRuntimeHints;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PageFiles}.
 */
class PageFilesTests {

	@Test
	void anEditorKnowsTheSettingsOfTheEndpoint() throws IOException {
		assertThat(Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json")))
			.contains("\"management.endpoint.mongolocksdashboard.access\"");
	}

	@Test
	void noScriptTakesATextAsHtml() {
		PageFiles files = new PageFiles();
		for (String file : List.of("dom.js", "ask.js", "locks.js", "lanes.js", "live.js", "jobs.js", "page.js")) {
			assertThat(files.text(file)).as(file)
				.doesNotContainIgnoringCase("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
						"DOMParser", "createContextualFragment");
		}
	}

	@Test
	void aNativeImageHasAllFilesOfThePageAndWritesItsEvents() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		ImportRuntimeHints imported = DashboardAutoConfiguration.class.getAnnotation(ImportRuntimeHints.class);
		assertThat(imported).isNotNull();
		BeanUtils.instantiateClass(imported.value()[0]).registerHints(hints, getClass().getClassLoader());
		Path folder = Path.of(PageFiles.class.getResource(PageFiles.PAGE).toURI()).getParent();
		try (Stream<Path> files = Files.list(folder)) {
			List<String> names = files.map((file) -> file.getFileName().toString())
				.filter((name) -> !name.endsWith(".class"))
				.toList();
			assertThat(names).contains(PageFiles.PAGE, "page.js")
				.allMatch((name) -> RuntimeHintsPredicates.resource()
					.forResource("io/mongolock/dashboard/" + name)
					.test(hints));
		}
		for (Class<?> type : List.of(Activity.class, Activity.Name.class, Activity.Turn.class, Activity.Loss.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onType(type)).accepts(hints);
		}
	}

}
