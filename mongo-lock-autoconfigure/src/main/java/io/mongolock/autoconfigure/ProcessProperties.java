package io.mongolock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Properties of the process, which all that runs on the machine may add to: those that
 * begin as ours do are meant for us all the same.
 *
 * @param environment where they are
 * @param settings what is read of them
 */
record ProcessProperties(Environment environment, List<Class<? extends Record>> settings) {

	private static final String PREFIX = "MONGOLOCK_";

	/** With dashes as underscores, which Boot looks for as well where it knows a name. */
	private static final String LEGACY_PREFIX = "MONGO_LOCK_";

	/** Where the library's own tests find a server. */
	private static final String TESTS = LEGACY_PREFIX + "TEST_";

	/**
	 * System properties as an application's own are looked at.
	 */
	Binder systemProperties() {
		Map<String, Object> ours = new HashMap<>();
		properties(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME).forEach((name, value) -> {
			if (name.startsWith(MongoLockProperties.PREFIX + ".")) {
				ours.put(name, value);
			}
		});
		return new Binder(ConfigurationPropertySources.from(new MapPropertySource("system properties", ours)),
				new PropertySourcesPlaceholdersResolver(this.environment));
	}

	/**
	 * Environment variables of ours that nothing reads.
	 * @return a sentence on each, with the name that was perhaps meant
	 */
	List<String> unknownVariables() {
		return properties(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME).keySet()
			.stream()
			.filter((name) -> name.startsWith(PREFIX) || (name.startsWith(LEGACY_PREFIX) && !name.startsWith(TESTS)))
			.filter((name) -> !isRead(name))
			.sorted()
			.map(this::describe)
			.toList();
	}

	private boolean isRead(String variable) {
		if (variable.startsWith(PREFIX)) {
			return settings("").contains(variable.substring(PREFIX.length())) || isOfAName(variable);
		}
		return settings("_").contains(variable.substring(LEGACY_PREFIX.length()));
	}

	// MONGOLOCK_LOCKS_<name>_<setting>, whatever the name
	private boolean isOfAName(String variable) {
		String[] parts = variable.split("_", -1);
		return parts.length >= 4 && components().filter((one) -> variableOf(one, "").equals(parts[1]))
			.map(SettingNames::ofNames)
			.anyMatch((type) -> type != null && leaves("", "", type).contains(parts[parts.length - 1]));
	}

	private Stream<RecordComponent> components() {
		return this.settings.stream().flatMap(SettingNames::components);
	}

	private String describe(String variable) {
		String problem = "Nothing reads the environment variable '" + variable + "'";
		String rest = (variable.startsWith(PREFIX)) ? variable.substring(PREFIX.length())
				: variable.substring(LEGACY_PREFIX.length());
		if (!variable.startsWith(PREFIX) && isOfAName(PREFIX + rest)) {
			return problem + ": write '" + PREFIX + rest + "'";
		}
		return problem + SettingNames.nearest(rest.replace("_", ""), squeezed())
			.map((setting) -> ": did you mean '" + PREFIX + readable(setting) + "'?")
			.orElse("; see the settings of " + MongoLockProperties.PREFIX + " for what there is");
	}

	private Set<String> squeezed() {
		return settings("").stream().map((name) -> name.replace("_", "")).collect(Collectors.toSet());
	}

	private String readable(String squeezed) {
		return settings("").stream().filter((name) -> name.replace("_", "").equals(squeezed)).findFirst().orElseThrow();
	}

	private Set<String> settings(String dash) {
		return this.settings.stream()
			.flatMap((type) -> leaves("", dash, type).stream())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> leaves(String path, String dash, Class<?> type) {
		return SettingNames.components(type).flatMap((one) -> {
			String name = path + variableOf(one, dash);
			return (one.getType().isRecord()) ? leaves(name + "_", dash, one.getType()).stream() : Stream.of(name);
		}).collect(Collectors.toCollection(TreeSet::new));
	}

	private static String variableOf(RecordComponent component, String dash) {
		return SettingNames.dashed(component).replace("-", dash).toUpperCase(Locale.ROOT);
	}

	private Map<String, Object> properties(String source) {
		Map<String, Object> found = new HashMap<>();
		if (this.environment instanceof ConfigurableEnvironment configurable
				&& configurable.getPropertySources().get(source) instanceof EnumerablePropertySource<?> enumerable) {
			for (String name : enumerable.getPropertyNames()) {
				Object value = enumerable.getProperty(name);
				found.put(name, (value != null) ? value : "");
			}
		}
		return found;
	}

}
