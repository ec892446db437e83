package io.mongolock.mongodb;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.mongodb.core.MongoAction;
import org.springframework.data.mongodb.core.MongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TemplateWriteConcern.Hints}, as the native build finds them.
 */
class TemplateWriteConcernHintsTests {

	@Test
	void whatIsAskedOfATemplateIsThere() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar instanceof TemplateWriteConcern.Hints)
			.forEach((registrar) -> registrar.registerHints(hints, getClass().getClassLoader()));
		assertThat(
				RuntimeHintsPredicates.reflection().onFieldAccess(MongoTemplate.class.getDeclaredField("writeConcern")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(MongoTemplate.class.getDeclaredMethod("prepareWriteConcern", MongoAction.class)))
			.accepts(hints);
	}

}
