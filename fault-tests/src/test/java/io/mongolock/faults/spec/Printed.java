package io.mongolock.faults.spec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A value as TLC prints it: records become maps, sequences lists, numbers integers, names
 * and texts strings.
 */
final class Printed {

	private static final Pattern TOKEN = Pattern.compile("<<|>>|\\|->|[\\[\\],]|\"[^\"]*\"|-?\\w+");

	private final Matcher tokens;

	private String next;

	private Printed(String text) {
		this.tokens = TOKEN.matcher(text);
		this.next = read();
	}

	static Map<String, Object> record(String text) {
		return asRecord(new Printed(text).value());
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> asRecord(Object value) {
		return (Map<String, Object>) value;
	}

	private String read() {
		return (this.tokens.find()) ? this.tokens.group() : "";
	}

	private String take() {
		String taken = this.next;
		this.next = read();
		return taken;
	}

	private boolean takes(String token) {
		boolean there = this.next.equals(token);
		if (there) {
			take();
		}
		return there;
	}

	private Object value() {
		String first = take();
		return switch (first) {
			case "<<" -> sequence();
			case "[" -> fields();
			case "TRUE", "FALSE" -> first.equals("TRUE");
			default -> (first.matches("-?\\d+")) ? (Object) Integer.valueOf(first) : first.replace("\"", "");
		};
	}

	private List<Object> sequence() {
		List<Object> elements = new ArrayList<>();
		while (!takes(">>")) {
			elements.add(value());
			takes(",");
		}
		return elements;
	}

	private Map<String, Object> fields() {
		Map<String, Object> fields = new LinkedHashMap<>();
		while (!takes("]")) {
			String name = take();
			if (!takes("|->")) {
				throw new IllegalArgumentException("No value of " + name);
			}
			fields.put(name, value());
			takes(",");
		}
		return fields;
	}

}
