package io.mongolock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

import io.mongolock.core.DurationText;
import io.mongolock.spi.LockExtension;

/**
 * The properties as they are written down, which shows two mistakes that are gone once
 * they are bound: a name that nothing reads, and a duration without a unit.
 */
class LockPropertyNames {

	/** Further off than this, a name is more likely meant for something else. */
	private static final int MAX_DISTANCE = 3;

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
	 * Refuse durations without a unit; zero needs none.
	 * @throws InvalidConfigurationPropertyValueException if there is one
	 */
	void checkUnits() {
		this.settings.forEach((type) -> checkUnits(ROOT, type));
	}

	private void checkUnits(ConfigurationPropertyName parent, Class<?> type) {
		components(type).forEach((one) -> {
			ConfigurationPropertyName property = parent.append(dashed(one));
			if (one.getType() == Duration.class) {
				checkUnit(property);
			}
			else if (one.getType().isRecord()) {
				checkUnits(property, one.getType());
			}
			Class<?> named = ofNames(one);
			if (named != null) {
				names(property, one).forEach((name) -> checkUnits(property.append("[" + name + "]"), named));
			}
		});
	}

	private Set<String> names(ConfigurationPropertyName property, RecordComponent map) {
		Bindable<Map<String, Object>> type = Bindable.of(ResolvableType.forType(map.getGenericType()));
		return this.binder.bind(property, type).orElse(Map.of()).keySet();
	}

	/**
	 * Properties of ours that nothing reads.
	 * @return a sentence on each, with the nearest name that something does read
	 */
	List<String> unknown() {
		ProcessProperties process = new ProcessProperties(this.environment, this.settings);
		return Stream
			.of(formerNames(), unknown(this.binder, new UnboundElementsSourceFilter()),
					unknown(process.systemProperties(), (source) -> true), process.unknownVariables())
			.flatMap(List::stream)
			.toList();
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

	private List<String> unknown(Binder binder, Function<ConfigurationPropertySource, Boolean> filter) {
		// Each type leaves what the others read
		return this.settings.stream()
			.map((type) -> unbound(binder, filter, type))
			.reduce((some, others) -> some.stream()
				.filter((one) -> others.stream().anyMatch((other) -> other.getName().equals(one.getName())))
				.toList())
			.orElseThrow()
			.stream()
			.map(this::describe)
			.toList();
	}

	private static List<ConfigurationProperty> unbound(Binder binder,
			Function<ConfigurationPropertySource, Boolean> filter, Class<? extends Record> type) {
		try {
			binder.bind(MongoLockProperties.PREFIX, Bindable.of(type),
					new NoUnboundElementsBindHandler(BindHandler.DEFAULT, filter));
			return List.of();
		}
		catch (BindException ex) {
			// A value that cannot be bound at all is refused elsewhere
			return (ex.getCause() instanceof UnboundConfigurationPropertiesException unbound)
					? List.copyOf(unbound.getUnboundProperties()) : List.of();
		}
	}

	/**
	 * The name that was perhaps meant.
	 * @return the nearest, unless even that is far off
	 */
	static Optional<String> nearest(String name, Collection<String> known) {
		return known.stream()
			.min(Comparator.comparingInt((one) -> distance(name, one)))
			.filter((one) -> distance(name, one) <= MAX_DISTANCE);
	}

	private void checkUnit(ConfigurationPropertyName property) {
		String value = this.binder.bind(property, Bindable.of(String.class)).orElse("").trim();
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
				+ nearest(last, settings).map((setting) -> ": did you mean '" + parent + "." + setting + "'?")
					.orElse("; see the settings of " + MongoLockProperties.PREFIX + " for what there is");
	}

	private boolean isDottedName(ConfigurationPropertyName name) {
		String group = name.getElement(1, ConfigurationPropertyName.Form.DASHED);
		return name.getNumberOfElements() > 4 && component(group).filter((one) -> ofNames(one) != null).isPresent();
	}

	private Stream<String> settingsBeside(ConfigurationPropertyName name) {
		if (name.getNumberOfElements() == 2) {
			return components().map(LockPropertyNames::dashed);
		}
		// Nothing of a group that nobody has: its module may be missing
		return component(name.getElement(1, ConfigurationPropertyName.Form.DASHED))
			.flatMap((one) -> Optional.ofNullable(nested(one)))
			.stream()
			.flatMap(LockPropertyNames::components)
			.map(LockPropertyNames::dashed);
	}

	private Optional<RecordComponent> component(String name) {
		return components().filter((one) -> dashed(one).equals(name)).findFirst();
	}

	private Stream<RecordComponent> components() {
		return this.settings.stream().flatMap(LockPropertyNames::components);
	}

	private static @Nullable Class<?> nested(RecordComponent component) {
		return (component.getType().isRecord()) ? component.getType() : ofNames(component);
	}

	/**
	 * The settings that each name has for itself.
	 * @return their type, {@code null} if the component is no map of names
	 */
	static @Nullable Class<?> ofNames(RecordComponent component) {
		Class<?> value = ResolvableType.forType(component.getGenericType()).asMap().getGeneric(1).resolve();
		return (value != null && value.isRecord()) ? value : null;
	}

	static Stream<RecordComponent> components(Class<?> type) {
		return Arrays.stream(type.getRecordComponents());
	}

	static String dashed(RecordComponent component) {
		return DataObjectPropertyName.toDashedForm(component.getName());
	}

	private static int distance(String one, String other) {
		// Levenshtein: how many letters to insert, remove or replace
		int[] row = IntStream.rangeClosed(0, other.length()).toArray();
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int replaced = diagonal + ((one.charAt(i - 1) != other.charAt(j - 1)) ? 1 : 0);
				diagonal = row[j];
				row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
			}
		}
		return row[other.length()];
	}

}
