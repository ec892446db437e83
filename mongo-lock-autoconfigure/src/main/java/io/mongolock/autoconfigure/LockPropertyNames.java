package io.mongolock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.StringUtils;

import io.mongolock.core.DurationPrinter;
import io.mongolock.spi.LockExtension;

/**
 * The properties as they are written. They show two mistakes that are invisible after
 * binding: a name that nothing reads, and a duration without a unit.
 */
class LockPropertyNames {

	private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(MongoLockProperties.PREFIX);

	private static final ConfigurationPropertyName FORMER = ConfigurationPropertyName.of("spring.data.mongodb");

	private final Environment environment;

	private final Binder binder;

	private final List<Class<? extends Record>> settings;

	private final boolean written;

	/** The names for which binding asks, each with the type of its value. */
	private final Map<ConfigurationPropertyName, Class<?>> read = new HashMap<>();

	/**
	 * Bind the settings to see what is read.
	 * @throws InvalidConfigurationPropertyValueException if a duration that is read has
	 * no unit; zero needs none
	 */
	LockPropertyNames(Environment environment, List<LockExtension> extensions) {
		this.environment = environment;
		this.binder = Binder.get(environment);
		this.settings = new ArrayList<>(List.of(MongoLockProperties.class));
		for (LockExtension extension : extensions) {
			this.settings.addAll(extension.settings());
		}
		this.written = isAnyWritten(ROOT);
		if (this.written) {
			this.settings.forEach(this::read);
		}
	}

	/**
	 * Whether any of our properties may be set. Otherwise all settings have their
	 * defaults.
	 */
	boolean isAnyWritten() {
		return this.written;
	}

	private boolean isAnyWritten(ConfigurationPropertyName root) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.containsDescendantOf(root) != ConfigurationPropertyState.ABSENT) {
				return true;
			}
		}
		return false;
	}

	private void read(Class<? extends Record> type) {
		try {
			this.binder.bind(ROOT, Bindable.of(type), new Reader());
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof InvalidConfigurationPropertyValueException withoutUnit) {
				throw withoutUnit;
			}
		}
	}

	/**
	 * Our properties that nothing reads.
	 * @return a sentence on each, with the most similar name that is read
	 */
	List<String> unknown() {
		List<String> unknown = (isAnyWritten(FORMER)) ? formerNames() : new ArrayList<>();
		return (this.written) ? withUnread(unknown) : unknown;
	}

	private List<String> withUnread(List<String> unknown) {
		Map<ConfigurationPropertyName, ConfigurationProperty> unread = new TreeMap<>();
		VariableNames variables = new VariableNames(this.settings);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource ofProcess) {
				unknown.addAll(variables.unknown(ofProcess.getPropertyNames()));
			}
			else if (source instanceof IterableConfigurationPropertySource names) {
				for (ConfigurationPropertyName name : names) {
					ConfigurationProperty property = (ROOT.isAncestorOf(name) && !isRead(name))
							? source.getConfigurationProperty(name) : null;
					if (property != null) {
						unread.putIfAbsent(property.getName(), property);
					}
				}
			}
		}
		for (ConfigurationProperty property : unread.values()) {
			unknown.add(describe(property));
		}
		return unknown;
	}

	private boolean isRead(ConfigurationPropertyName name) {
		Class<?> type = this.read.get(name);
		if (type == null) {
			return false;
		}
		if (type.isRecord() || type == Map.class) {
			// An empty value means that YAML has only the name of the group
			return !hasValue(name);
		}
		boolean oneValue = type == Duration.class || BeanUtils.isSimpleValueType(type);
		return type == String.class || !oneValue || hasValue(name);
	}

	private boolean hasValue(ConfigurationPropertyName name) {
		return StringUtils.hasText(this.binder.bind(name, Bindable.of(String.class)).orElse(""));
	}

	// An application with only these names connects to localhost, and nothing else says
	// why
	private List<String> formerNames() {
		List<String> former = new ArrayList<>();
		for (String name : List.of("uri", "host", "port", "database", "username")) {
			if (isSet("spring.data.mongodb." + name) && !isSet("spring.mongodb." + name)) {
				former.add("Nothing reads the property 'spring.data.mongodb." + name
						+ "'. Since Spring Boot 4.0, the name of this property is 'spring.mongodb." + name + "'");
			}
		}
		return former;
	}

	private boolean isSet(String property) {
		return this.binder.bind(property, String.class).isBound();
	}

	private String describe(ConfigurationProperty property) {
		ConfigurationPropertyName name = property.getName();
		String first = name.getElement(1, ConfigurationPropertyName.Form.DASHED);
		String last = name.getLastElement(ConfigurationPropertyName.Form.DASHED);
		String parent = name.getParent().toString();
		String problem = "Nothing reads the property '" + name + "'"
				+ ((property.getOrigin() != null) ? " (" + property.getOrigin() + ")" : "");
		Optional<RecordComponent> group = components().filter((one) -> SettingNames.dashed(one).equals(first))
			.findFirst();
		// No suggestions inside of an unknown group, because its module may be missing
		List<String> beside = ((name.getNumberOfElements() == 2) ? components()
				: group.flatMap((one) -> Optional.ofNullable(nested(one))).stream().flatMap(SettingNames::components))
			.map(SettingNames::dashed)
			.toList();
		if (!beside.contains(last)) {
			return problem + SettingNames.nearest(last, beside)
				.map((setting) -> ": did you mean '" + parent + "." + setting + "'?")
				.orElse(". The documentation of " + MongoLockProperties.PREFIX + " lists all its settings");
		}
		if (name.getNumberOfElements() > 4 && group.filter((one) -> SettingNames.ofNames(one) != null).isPresent()) {
			String dotted = parent.substring(parent.indexOf(first) + first.length() + 1);
			return problem + ". Put a name with dots in brackets, as in '" + MongoLockProperties.PREFIX + "." + first
					+ "[" + dotted + "]." + last + "'";
		}
		return problem + ", because the property has no value, and an empty property counts as missing";
	}

	private Stream<RecordComponent> components() {
		return this.settings.stream().flatMap(SettingNames::components);
	}

	private static @Nullable Class<?> nested(RecordComponent component) {
		return (component.getType().isRecord()) ? component.getType() : SettingNames.ofNames(component);
	}

	/** Keeps each name, and checks each duration that is bound. */
	private final class Reader implements BindHandler {

		@Override
		public <T> Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
			LockPropertyNames.this.read.put(name, target.getType().resolve(Object.class));
			return target;
		}

		@Override
		public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			String value = (result instanceof Duration)
					? context.getBinder().bind(name, Bindable.of(String.class)).orElse("") : "";
			if (DurationPrinter.lacksUnit(value)) {
				throw new InvalidConfigurationPropertyValueException(name.toString(), value.trim(),
						"has no unit, and Spring Boot reads a value without a unit as milliseconds. "
								+ DurationPrinter.withUnit(value));
			}
			return result;
		}

		// Other code refuses the value, unless a converter of the application
		// understands it
		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) throws Exception {
			if (error.getCause() instanceof InvalidConfigurationPropertyValueException
					|| error instanceof InvalidConfigurationPropertyValueException) {
				throw error;
			}
			return null;
		}

	}

}
