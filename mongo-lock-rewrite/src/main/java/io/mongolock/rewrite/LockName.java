package io.mongolock.rewrite;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The name of a lock of ShedLock as an attribute of {@code @DistributedLock} that results
 * in the same key: a literal as the name, a template as one expression, the key.
 *
 * @param attribute the attribute, as it stands in a source
 */
record LockName(String attribute) {

	static LockName of(@Nullable String name) {
		if (name == null || name.isBlank()) {
			throw new UnmappedException("a lock needs a name");
		}
		if (!name.contains("#{")) {
			return new LockName("name = " + Literals.quoted(name));
		}
		if (name.contains("${")) {
			throw new UnmappedException("a key has no placeholders: put the value of ${…} into " + name);
		}
		return new LockName("key = " + Literals.quoted(expression(name)));
	}

	private static String expression(String template) {
		List<String> parts = new ArrayList<>();
		int at = 0;
		while (at < template.length()) {
			int begin = template.indexOf("#{", at);
			if (begin != at) {
				parts.add(text(template.substring(at, (begin < 0) ? template.length() : begin)));
			}
			if (begin < 0) {
				break;
			}
			int end = template.indexOf('}', begin);
			String expression = (end < 0) ? "{" : template.substring(begin + 2, end).strip();
			if (expression.isEmpty() || expression.contains("{")) {
				throw new UnmappedException("the name is a template that is not understood: write the key by hand");
			}
			parts.add(expression);
			at = end + 1;
		}
		return (parts.size() > 1) ? joined(parts) : parts.get(0);
	}

	// A text first, so that numbers are not added up
	private static String joined(List<String> parts) {
		List<String> operands = new ArrayList<>();
		if (!parts.get(0).startsWith("'")) {
			operands.add("''");
		}
		parts
			.forEach((part) -> operands.add((part.startsWith("'") || part.matches("#\\w+")) ? part : "(" + part + ")"));
		return String.join(" + ", operands);
	}

	private static String text(String text) {
		return "'" + text.replace("'", "''") + "'";
	}

}
