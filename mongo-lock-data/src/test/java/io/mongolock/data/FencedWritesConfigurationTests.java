package io.mongolock.data;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockOperations;
import io.mongolock.autoconfigure.MockDatabases;
import io.mongolock.store.mongo.MongoLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FencedWrites} in an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class FencedWritesConfigurationTests {

	private final ApplicationContextRunner bare = DataContexts.bare();

	private final ApplicationContextRunner one = this.bare
		.withUserConfiguration(MockDatabases.PrimaryConfiguration.class)
		.withBean("mine", MongoTemplate.class, () -> MockDatabases.template(MockDatabases.database()));

	@ParameterizedTest
	@ValueSource(strings = { "false", "off", "no", "0" })
	void switchedOffWritesUnguardedAndSaysSoOnce(String off, CapturedOutput output) {
		this.one.withPropertyValues("mongo-lock.enabled=" + off)
			.run((context) -> assertThat(context.getBean(FencedWrites.class))
				.isSameAs(context.getBean(FencedWrites.class)));
		assertThat(output).containsOnlyOnce("UNGUARDED");
	}

	@Test
	void switchedOffAStoreOfTheApplicationGuardsNothing(CapturedOutput output) {
		this.one.withPropertyValues("mongo-lock.enabled=off")
			.withBean(MongoLockStore.class, () -> Mockito.mock(MongoLockStore.class))
			.run((context) -> assertThat(context.getBean(FencedWrites.class)).isNotNull());
		assertThat(output).containsOnlyOnce("UNGUARDED");
	}

	@Test
	void switchedOnNothingIsUnguardedThoughLocksAreKeptElsewhere(CapturedOutput output) {
		this.one.withBean(LockOperations.class, () -> Mockito.mock(LockOperations.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(FencedWrites.class));
		assertThat(output).doesNotContain("UNGUARDED");
	}

	@Test
	void guardedWritesFailOnlyThoseWhoAskIfTheTemplateIsUnclear() {
		this.bare.withUserConfiguration(MockDatabases.TwoTemplatesConfiguration.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.getBean(FencedWrites.class))
				.havingRootCause()
				.withMessageContaining("oneTemplate, otherTemplate");
		});
	}

	@Test
	void guardedWritesAreOfThePrimaryTemplate() {
		this.bare.withUserConfiguration(MockDatabases.TwoTemplatesConfiguration.class)
			.withBean("mine", MongoTemplate.class, () -> MockDatabases.template(MockDatabases.database()),
					(definition) -> definition.setPrimary(true))
			.withPropertyValues("mongo-lock.mongo-template=otherTemplate")
			.run((context) -> assertThat(context.getBean(FencedWrites.class)).extracting("template")
				.isSameAs(context.getBean("mine")));
	}

}
