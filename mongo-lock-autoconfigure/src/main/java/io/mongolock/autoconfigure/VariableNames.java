package io.mongolock.autoconfigure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of environment variables, which Boot reads without dashes. Any program may
 * add variables to the environment. We assume that variables with our prefix are intended
 * for us.
 *
 * @param settings the records of the settings that are read
 */
record VariableNames(List<Class<? extends Record>> settings) {

	private static final String PREFIX = "MONGOLOCK_";

	/**
	 * The prefix with dashes as underscores, which Boot also tries if it knows a name.
	 */
	private static final String LEGACY_PREFIX = "MONGO_LOCK_";

	/** The prefix of variables by which the library's own tests find a server. */
	private static final String TESTS = LEGACY_PREFIX + "TEST_";

	/**
	 * Our variables that nothing reads.
	 * @return a sentence on each, with the name that was perhaps intended
	 */
	List<String> unknown(String[] variables) {
		List<String> unknown = new ArrayList<>();
		for (String name : variables) {
			boolean ours = name.startsWith(PREFIX) || (name.startsWith(LEGACY_PREFIX) && !name.startsWith(TESTS));
			if (ours && !isRead(name)) {
				unknown.add(describe(name));
			}
		}
		Collections.sort(unknown);
		return unknown;
	}

	private boolean isRead(String variable) {
		String name = withoutPrefix(variable);
		return (variable.startsWith(PREFIX)) ? settings("").anyMatch(name::equals) || isOfAName(name)
				: settings("_").anyMatch(name::equals);
	}

	private static String withoutPrefix(String variable) {
		return variable.substring(((variable.startsWith(PREFIX)) ? PREFIX : LEGACY_PREFIX).length());
	}

	// LOCKS_<name>_<setting>, for any name
	private boolean isOfAName(String variable) {
		String[] parts = variable.split("_", -1);
		return parts.length > 2 && this.settings.stream()
			.flatMap(SettingNames::components)
			.filter((one) -> one.getName().equalsIgnoreCase(parts[0]))
			.map(SettingNames::ofNames)
			.anyMatch((type) -> type != null && leaves(type, "").anyMatch(parts[parts.length - 1]::equals));
	}

	private String describe(String variable) {
		String problem = "Nothing reads the environment variable '" + variable + "'";
		String name = withoutPrefix(variable);
		if (!variable.startsWith(PREFIX) && isOfAName(name)) {
			return problem + ". Write '" + PREFIX + name + "' instead";
		}
		Map<String, String> known = settings("").collect(Collectors.toMap((one) -> one.replace("_", ""),
				Function.identity(), (one, other) -> one, TreeMap::new));
		return problem + SettingNames.nearest(name.replace("_", ""), known.keySet())
			.map((meant) -> ": did you mean '" + PREFIX + known.get(meant) + "'?")
			.orElse(". The documentation of " + MongoLockProperties.PREFIX + " lists all its settings");
	}

	private Stream<String> settings(String dash) {
		return this.settings.stream().flatMap((type) -> leaves(type, dash));
	}

	private static Stream<String> leaves(Class<?> type, String dash) {
		return SettingNames.components(type).flatMap((one) -> {
			String name = SettingNames.dashed(one).replace("-", dash).toUpperCase(Locale.ROOT);
			return (one.getType().isRecord()) ? leaves(one.getType(), dash).map((inner) -> name + "_" + inner)
					: Stream.of(name);
		});
	}

}
