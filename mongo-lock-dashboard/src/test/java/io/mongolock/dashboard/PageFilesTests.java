package io.mongolock.dashboard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.context.annotation.ImportRuntimeHints;

import io.mongolock.LockOwner;
import io.mongolock.actuate.LocksEndpointWebExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PageFiles}, and for the page that {@link DashboardEndpoint} makes of
 * them.
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
	void noNameBecomesHtmlOfThePage() {
		PathMappedEndpoints paths = Mockito.mock();
		BDDMockito.given(paths.getRootPath(DashboardEndpoint.ID)).willReturn("mongolocksdashboard");
		LocksEndpointWebExtension locks = Mockito.mock();
		BDDMockito.given(locks.showsOwners(SecurityContext.NONE)).willReturn(true);
		DashboardEndpoint endpoint = new DashboardEndpoint(() -> paths, (id, access) -> access, locks,
				new LockOwner("<script>\"'&", "1", "host", 1, "main"));
		assertThat(endpoint.page(SecurityContext.NONE).getBody())
			.contains("data-instance=\"&lt;script&gt;&quot;&#39;&amp; 1\"")
			.doesNotContain("<script>\"");
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
