package io.mongolock.jobs;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Prevents jobs from firing by themselves in a test, unless the test's own properties
 * switch them on.
 */
class JobsContextCustomizerFactory implements ContextCustomizerFactory {

	private static final Log logger = LogFactory.getLog(JobsContextCustomizerFactory.class);

	private static final String ENABLED = "mongo-lock.jobs.enabled";

	@Override
	public ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return new NoFiring();
	}

	/**
	 * Switches the schedules off. All instances are equal, as the cache of contexts
	 * requires.
	 */
	private record NoFiring() implements ContextCustomizer {

		// Before system properties, which come after the properties of the test
		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration test) {
			boolean wanted = context.getEnvironment().getProperty(ENABLED, Boolean.class, false);
			MutablePropertySources sources = context.getEnvironment().getPropertySources();
			if (sources.contains(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
				sources.addBefore(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, new Off());
			}
			else {
				sources.addFirst(new Off());
			}
			if (wanted && !context.getEnvironment().getProperty(ENABLED, Boolean.class, true)) {
				logger.info("No job fires in " + test.getTestClass().getName()
						+ ", because this test class does not set " + ENABLED
						+ "=true itself. Tests ignore other sources of this property. To let jobs fire in this test, "
						+ "write @SpringBootTest(properties = \"" + ENABLED + "=true\")");
			}
		}

	}

	/**
	 * Does not list the name of its property, because an application without jobs would
	 * warn that nothing reads it.
	 */
	private static final class Off extends PropertySource<Boolean> {

		Off() {
			super("mongo-lock jobs in tests", false);
		}

		@Override
		public @Nullable Object getProperty(String name) {
			return (name.equals(ENABLED)) ? getSource() : null;
		}

	}

}
