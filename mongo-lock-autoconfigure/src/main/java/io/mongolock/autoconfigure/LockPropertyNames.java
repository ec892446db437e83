package io.mongolock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.StringUtils;

import io.mongolock.core.DurationText;
import io.mongolock.spi.LockExtension;

/**
 * The properties as they are written down, which shows two mistakes that are gone once
 * they are bound: a name that nothing reads, and a duration without a unit.
 */
class LockPropertyNames {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(MongoLockProperties.PREFIX);

	private final Environment environment;

	private final Binder binder;

	private final List<Class<? extends Record>> settings;

	LockPropertyNames(Environment environment, List<LockExtension> extensions) {
		this.environment = environment;
		this.binder = Binder.get(environment);
		this.settings = Stream
			.concat(Stream.of(MongoLockProperties.class),
					extensions.stream().flatMap((extension) -> extension.settings().stream()))
			.toList();
	}

	/**
	 * Whether there may be any property of ours: otherwise all are as by default.
	 */
	boolean isAnyWritten() {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.containsDescendantOf(ROOT) != ConfigurationPropertyState.ABSENT) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Refuse durations without a unit; zero needs none.
	 * @throws InvalidConfigurationPropertyValueException if there is one
	 */
	void checkUnits() {
		this.settings.forEach((type) -> checkUnits(ROOT, type));
	}

	private void checkUnits(ConfigurationPropertyName parent, Class<?> type) {
		SettingNames.components(type).forEach((one) -> {
			ConfigurationPropertyName property = parent.append(SettingNames.dashed(one));
			if (one.getType() == Duration.class) {
				checkUnit(property, this.binder.bind(property, Bindable.of(String.class)).orElse(""));
			}
			else if (one.getType().isRecord()) {
				checkUnits(property, one.getType());
			}
			Class<?> named = SettingNames.ofNames(one);
			if (named != null) {
				written(property).forEach((name, values) -> {
					ConfigurationPropertyName own = property.append("[" + name + "]");
					checkUnits(own, values, named);
					// Once more, as some variables of the
					// environment are found by name alone
					checkUnits(own, named);
				});
			}
		});
	}

	private static void checkUnits(ConfigurationPropertyName parent, Map<String, String> values, Class<?> type) {
		SettingNames.components(type).filter((one) -> one.getType() == Duration.class).forEach((one) -> {
			ConfigurationPropertyName property = parent.append(SettingNames.dashed(one));
			values.forEach((name, value) -> {
				if (SettingNames.isMeant(name, one)) {
					checkUnit(property, value);
				}
			});
		});
	}

	// A name in brackets would be found only as it is written, and not by its dashes
	private Map<String, Map<String, String>> written(ConfigurationPropertyName property) {
		ResolvableType values = ResolvableType.forClassWithGenerics(Map.class, String.class, String.class);
		Bindable<Map<String, Map<String, String>>> names = Bindable
			.of(ResolvableType.forClassWithGenerics(Map.class, ResolvableType.forClass(String.class), values));
		return this.binder.bind(property, names).orElse(Map.of());
	}

	/**
	 * Properties of ours that nothing reads.
	 * @return a sentence on each, with the nearest name that something does read
	 */
	List<String> unknown() {
		List<String> unknown = new ArrayList<>(formerNames());
		Map<ConfigurationPropertyName, ConfigurationProperty> unread = new TreeMap<>();
		VariableNames variables = new VariableNames(this.settings);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource ofProcess) {
				unknown.addAll(variables.unknown(ofProcess.getPropertyNames()));
			}
			else if (source instanceof IterableConfigurationPropertySource names) {
				names.stream()
					.filter((name) -> ROOT.isAncestorOf(name) && !isRead(name))
					.map(source::getConfigurationProperty)
					.filter(Objects::nonNull)
					.forEach((property) -> unread.putIfAbsent(property.getName(), property));
			}
		}
		unread.values().forEach((property) -> unknown.add(describe(property)));
		return unknown;
	}

	private boolean isRead(ConfigurationPropertyName name) {
		return this.settings.stream()
			.map((type) -> SettingNames.typeOf(name, type))
			.anyMatch((type) -> type != null
					&& (type == String.class || !SettingNames.isOneValue(type) || hasValue(name)));
	}

	private boolean hasValue(ConfigurationPropertyName name) {
		return StringUtils.hasText(this.binder.bind(name, Bindable.of(String.class)).orElse(""));
	}

	// With them nobody finds out why the application connects to localhost
	private List<String> formerNames() {
		return Stream.of("uri", "host", "port", "database", "username")
			.filter((name) -> isSet("spring.data.mongodb." + name) && !isSet("spring.mongodb." + name))
			.map((name) -> "Nothing reads the property 'spring.data.mongodb." + name
					+ "': from Spring Boot 4.0 on it is 'spring.mongodb." + name + "'")
			.toList();
	}

	private boolean isSet(String property) {
		return this.binder.bind(property, String.class).isBound();
	}

	private static void checkUnit(ConfigurationPropertyName property, String written) {
		String value = written.trim();
		if (DurationText.lacksUnit(value)) {
			throw new InvalidConfigurationPropertyValueException(property.toString(), value,
					"has no unit and would mean " + value + "ms. " + DurationText.withUnit(value));
		}
	}

	private String describe(ConfigurationProperty property) {
		ConfigurationPropertyName name = property.getName();
		String last = name.getLastElement(ConfigurationPropertyName.Form.DASHED);
		String parent = name.getParent().toString();
		String origin = (property.getOrigin() != null) ? " (" + property.getOrigin() + ")" : "";
		List<String> settings = settingsBeside(name).toList();
		if (isDottedName(name) && settings.contains(last)) {
			String group = name.getElement(1, ConfigurationPropertyName.Form.DASHED);
			String dotted = parent.substring(parent.indexOf(group) + group.length() + 1);
			return "Nothing reads the property '" + name + "'" + origin + ": a name with dots is written in brackets, '"
					+ MongoLockProperties.PREFIX + "." + group + "[" + dotted + "]." + last + "'";
		}
		if (settings.contains(last)) {
			return "Nothing reads the property '" + name + "'" + origin
					+ ", because it has no value: it is as if it were not there";
		}
		return "Nothing reads the property '" + name + "'" + origin
				+ SettingNames.nearest(last, settings)
					.map((setting) -> ": did you mean '" + parent + "." + setting + "'?")
					.orElse("; see the settings of " + MongoLockProperties.PREFIX + " for what there is");
	}

	private boolean isDottedName(ConfigurationPropertyName name) {
		String group = name.getElement(1, ConfigurationPropertyName.Form.DASHED);
		return name.getNumberOfElements() > 4
				&& component(group).filter((one) -> SettingNames.ofNames(one) != null).isPresent();
	}

	private Stream<String> settingsBeside(ConfigurationPropertyName name) {
		if (name.getNumberOfElements() == 2) {
			return components().map(SettingNames::dashed);
		}
		// Nothing of a group that nobody has: its module may be missing
		return component(name.getElement(1, ConfigurationPropertyName.Form.DASHED))
			.flatMap((one) -> Optional.ofNullable(nested(one)))
			.stream()
			.flatMap(SettingNames::components)
			.map(SettingNames::dashed);
	}

	private Optional<RecordComponent> component(String name) {
		return components().filter((one) -> SettingNames.dashed(one).equals(name)).findFirst();
	}

	private Stream<RecordComponent> components() {
		return this.settings.stream().flatMap(SettingNames::components);
	}

	private static @Nullable Class<?> nested(RecordComponent component) {
		return (component.getType().isRecord()) ? component.getType() : SettingNames.ofNames(component);
	}

}
