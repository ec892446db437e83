package io.mongolock.jobs;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Has no job fire by itself in a test, unless the test says so in its own properties.
 */
class JobsContextCustomizerFactory implements ContextCustomizerFactory {

	private static final String ENABLED = "mongo-lock.jobs.enabled";

	@Override
	public ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return new NoFiring();
	}

	/**
	 * Switches the schedules off. All are equal, as the cache of contexts wants it.
	 */
	private record NoFiring() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration test) {
			boolean asked = Arrays.stream(test.getPropertySourceProperties())
				.anyMatch((property) -> property.trim().startsWith(ENABLED));
			if (!asked) {
				context.getEnvironment()
					.getPropertySources()
					.addFirst(new MapPropertySource("mongo-lock jobs in tests", Map.of(ENABLED, false)));
			}
		}

	}

}
