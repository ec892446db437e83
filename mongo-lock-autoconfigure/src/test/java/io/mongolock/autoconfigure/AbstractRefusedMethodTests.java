package io.mongolock.autoconfigure;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.mongolock.LockOperations;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Methods that are refused at startup: subclasses list them in {@code refused}, each with
 * a part of its message.
 */
abstract class AbstractRefusedMethodTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockOperations.class, RecordingLockOperations::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@ParameterizedTest
	@FieldSource("refused")
	void methodIsRefusedWithItsNameAndTheWayOut(Class<?> type, String problem) {
		this.runner.withBean(type).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockStartupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(type.getName() + ".run(").contains(problem);
			assertThat(analysis.getAction()).endsWith(".").hasSizeGreaterThan(20);
		});
	}

	@ParameterizedTest
	@FieldSource("refused")
	void alsoWhenTheBeanIsLazy(Class<?> type, String problem) {
		BeanDefinition definition = BeanDefinitionBuilder.rootBeanDefinition(type)
			.setLazyInit(true)
			.getBeanDefinition();
		this.runner
			.withInitializer((context) -> ((BeanDefinitionRegistry) context).registerBeanDefinition("lazy", definition))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(type.getName() + ".run(")
				.hasMessageContaining(problem));
	}

}
