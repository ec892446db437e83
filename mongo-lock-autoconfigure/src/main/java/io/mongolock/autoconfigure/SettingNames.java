package io.mongolock.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.ResolvableType;

/**
 * The names of settings, read from the records to which they are bound.
 */
final class SettingNames {

	/** A name at a greater distance is more likely intended for something else. */
	private static final int MAX_DISTANCE = 3;

	private SettingNames() {
	}

	static Stream<RecordComponent> components(Class<?> type) {
		return Arrays.stream(type.getRecordComponents());
	}

	static String dashed(RecordComponent component) {
		return DataObjectPropertyName.toDashedForm(component.getName());
	}

	/**
	 * The settings that each name has.
	 * @return the type of these settings, {@code null} if the component is not a map of
	 * names
	 */
	static @Nullable Class<?> ofNames(RecordComponent component) {
		Class<?> value = ResolvableType.forType(component.getGenericType()).asMap().getGeneric(1).resolve();
		return (value != null && value.isRecord()) ? value : null;
	}

	/**
	 * The name that was perhaps intended.
	 * @return the most similar name, unless even that name differs too much
	 */
	static Optional<String> nearest(String name, Collection<String> known) {
		return known.stream()
			.min(Comparator.comparingInt((one) -> distance(name, one)))
			.filter((one) -> distance(name, one) <= MAX_DISTANCE);
	}

	private static int distance(String one, String other) {
		// Levenshtein distance: the number of letters to insert, remove or replace
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
