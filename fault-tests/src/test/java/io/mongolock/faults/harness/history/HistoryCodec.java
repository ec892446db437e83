package io.mongolock.faults.harness.history;

import java.lang.reflect.RecordComponent;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A record as a line: its type and components, separated by tabs. Text is encoded as in a
 * URL, so that a line holds whatever a key may hold and is still one line.
 */
final class HistoryCodec {

	private static final String SEPARATOR = "\t";

	private static final Map<String, Class<?>> TYPES = Arrays.stream(HistoryRecord.class.getPermittedSubclasses())
		.collect(Collectors.toUnmodifiableMap(Class::getSimpleName, Function.identity()));

	private HistoryCodec() {
	}

	static String encode(HistoryRecord record) {
		return Stream
			.concat(Stream.of(record.getClass().getSimpleName()),
					Arrays.stream(record.getClass().getRecordComponents()).map((component) -> text(component, record)))
			.collect(Collectors.joining(SEPARATOR));
	}

	/**
	 * Read a line.
	 * @param line the line without its end
	 * @return the record
	 * @throws IllegalArgumentException if it is no record
	 */
	static HistoryRecord decode(String line) {
		String[] fields = line.split(SEPARATOR, -1);
		Class<?> type = TYPES.get(fields[0]);
		if (type == null) {
			throw new IllegalArgumentException("'" + fields[0] + "' is none of the records " + TYPES.keySet());
		}
		RecordComponent[] components = type.getRecordComponents();
		if (fields.length != components.length + 1) {
			throw new IllegalArgumentException(
					"'" + fields[0] + "' has " + components.length + " fields, not " + (fields.length - 1));
		}
		Object[] values = new Object[components.length];
		for (int i = 0; i < values.length; i++) {
			values[i] = value(components[i].getType(), fields[i + 1]);
		}
		return create(type, components, values);
	}

	private static HistoryRecord create(Class<?> type, RecordComponent[] components, Object[] values) {
		Class<?>[] types = Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
		try {
			return (HistoryRecord) type.getDeclaredConstructor(types).newInstance(values);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The record " + type.getSimpleName() + " cannot be made", ex);
		}
	}

	private static String text(RecordComponent component, HistoryRecord record) {
		try {
			return URLEncoder.encode(String.valueOf(component.getAccessor().invoke(record)), StandardCharsets.UTF_8);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException("The component " + component.getName() + " cannot be read", ex);
		}
	}

	private static Object value(Class<?> type, String text) {
		if (type == long.class) {
			return Long.valueOf(text);
		}
		if (type == int.class) {
			return Integer.valueOf(text);
		}
		String decoded = URLDecoder.decode(text, StandardCharsets.UTF_8);
		if (type.isEnum()) {
			return Arrays.stream(type.getEnumConstants())
				.filter((constant) -> constant.toString().equals(decoded))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("'" + decoded + "' is no " + type.getSimpleName()));
		}
		return decoded;
	}

}
