package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;

/**
 * The variables for arguments in the expressions of a method. An argument is known by the
 * name of its parameter and by its position, {@code p0} or {@code a0} for the first. A
 * name wins over a position.
 *
 * @param arguments the index of the argument for each variable
 * @param ambiguous names of parameters with a second meaning: the position of another
 * parameter, or a variable of SpEL itself
 */
public record LockKeyVariables(Map<String, Integer> arguments, Set<String> ambiguous) {

	private static final Set<String> OF_SPEL = Set.of("root", "this");

	/**
	 * The variables of the most specific method.
	 */
	public static LockKeyVariables of(Method method) {
		@Nullable String @Nullable [] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
		Map<String, Integer> arguments = new HashMap<>();
		Set<String> ambiguous = new TreeSet<>();
		// The continuation of a suspending function in Kotlin has no name
		int count = (names != null) ? names.length : method.getParameterCount();
		for (int i = 0; i < count; i++) {
			arguments.put("p" + i, i);
			arguments.put("a" + i, i);
		}
		for (int i = 0; names != null && i < count; i++) {
			String name = names[i];
			if (name != null) {
				Integer other = arguments.put(name, i);
				if (OF_SPEL.contains(name) || (other != null && other != i)) {
					ambiguous.add(name);
				}
			}
		}
		return new LockKeyVariables(arguments, ambiguous);
	}

}
