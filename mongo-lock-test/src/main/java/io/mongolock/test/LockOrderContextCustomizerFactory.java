package io.mongolock.test;

import java.util.List;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Makes each context of a test record which locks are taken inside of others.
 */
class LockOrderContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return new Recording();
	}

	/**
	 * Adds the record. All instances are equal, as the cache of contexts requires.
	 */
	private record Recording() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration test) {
			context.getBeanFactory().registerSingleton("mongoLockNestings", new LockNestings());
		}

	}

}
