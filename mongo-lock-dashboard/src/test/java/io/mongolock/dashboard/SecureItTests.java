package io.mongolock.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.test.context.ContextConfiguration;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipe of docs/dashboard.md, word for word, with a user who has no role of it, one
 * who reads, and one who may release.
 */
@Tag("application")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(ActuatorRules.class)
@ContextConfiguration(initializers = SecureItTests.Settings.class)
class SecureItTests {

	private static final String LOCKS = "/actuator/mongolocks";

	@LocalServerPort
	private int port;

	@Autowired
	private LockOperations locks;

	@Test
	void theRulesOfThisTestAreThoseOfTheRecipe() throws IOException {
		String tested = Files.readString(Path.of("src/test/java/io/mongolock/dashboard/ActuatorRules.java"));
		assertThat(tested.replaceAll("\\s+", " ")).contains(recipe("java").replaceAll("\\s+", " ").trim());
	}

	@Test
	void onlyTheOperatorReleasesAndTheAuditorReads() {
		try (LockHandle held = this.locks.acquire(LockRequest.of("order", "50%;a"))) {
			String path = LOCKS + "?key=order:50%25%3Ba";
			assertThat(answers("", path)).containsExactly(401, 401, 401);
			assertThat(answers("customer", path)).containsExactly(403, 403, 403);
			assertThat(answers("auditor", path)).containsExactly(200, 403, 403);
			assertThat(visitor("auditor").get(path, "*/*").body()).contains("order:50%;a").doesNotContain("host");
			held.renew();
			assertThat(answers("operator", path)).containsExactly(200, 200, 200);
			assertThat(visitor("operator").get(path, "*/*").body()).contains("\"holders\":[]");
		}
		catch (LockLostException ex) {
			assertThat(ex).hasMessageContaining("order:50%;a");
		}
	}

	@Test
	void probesNeedNoUser() {
		assertThat(visitor("").get("/actuator/health", "*/*").statusCode()).isEqualTo(200);
		assertThat(visitor("").get("/actuator", "*/*").statusCode()).isEqualTo(401);
	}

	private int[] answers(String user, String path) {
		Visitor visitor = visitor(user);
		String token = visitor("operator").get(LOCKS, "*/*")
			.headers()
			.firstValue("Set-Cookie")
			.map((cookie) -> cookie.substring("XSRF-TOKEN=".length(), cookie.indexOf(';')))
			.orElseThrow();
		return new int[] { visitor.get(path, "*/*").statusCode(),
				visitor.post(LOCKS, token, "{\"key\": \"order:50%;a\", \"reason\": \"a test\"}").statusCode(),
				visitor.delete(path + "&reason=hangs", token).statusCode() };
	}

	private Visitor visitor(String user) {
		return new Visitor(this.port, user);
	}

	private static String recipe(String language) throws IOException {
		Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/dashboard.md")));
		assertThat(block.find()).isTrue();
		return block.group(1);
	}

	static final class Settings implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			try {
				ByteArrayResource yaml = new ByteArrayResource(recipe("yaml").getBytes(StandardCharsets.UTF_8));
				new YamlPropertySourceLoader().load("the recipe", yaml)
					.forEach(context.getEnvironment().getPropertySources()::addFirst);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
