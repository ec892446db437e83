package io.mongolock;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The types whose equal values have the same text in every JVM.
 */
public final class LockKeyTypes {

	/** This is a name and not a class, because callers need no driver. */
	private static final String OBJECT_ID = "org.bson.types.ObjectId";

	private static final Set<Class<?>> TEXTS = Set.of(Character.class, Boolean.class, Byte.class, Short.class,
			Integer.class, Long.class, BigInteger.class, BigDecimal.class, UUID.class, Currency.class, Instant.class,
			LocalDate.class, LocalDateTime.class, LocalTime.class, MonthDay.class, Year.class, YearMonth.class,
			Duration.class, Period.class);

	private static final Map<Class<?>, String> WAYS_OUT = waysOut();

	private LockKeyTypes() {
	}

	static boolean hasText(Class<?> type) {
		Class<?> wrapper = ClassUtils.resolvePrimitiveIfNecessary(type);
		return TEXTS.contains(wrapper) || CharSequence.class.isAssignableFrom(wrapper) || wrapper.isEnum()
				|| Enum.class.isAssignableFrom(wrapper) || wrapper.getName().equals(OBJECT_ID);
	}

	/**
	 * Why no value of a type can be a key.
	 * @param type the declared type
	 * @return the type and the reason, or {@code null} if some value of the type can be a
	 * key
	 */
	public static @Nullable String refusal(Class<?> type) {
		return refusal(type, new HashSet<>());
	}

	/**
	 * Why a value cannot be a key.
	 * @param type the class of the value, which has no text
	 * @return the type and the reason
	 */
	static String refusalOfValue(Class<?> type) {
		String refusal = refusal(type);
		return (refusal != null) ? refusal : general(type);
	}

	private static @Nullable String refusal(Class<?> type, Set<Class<?>> seen) {
		if (hasText(type) || !seen.add(type)) {
			return null;
		}
		if (type.isRecord()) {
			return ofComponents(type, seen);
		}
		String name = type.getTypeName();
		if (type.isArray()) {
			return name + ", but a lock has only one key. Pick one value";
		}
		Class<?> wrapper = ClassUtils.resolvePrimitiveIfNecessary(type);
		for (Map.Entry<Class<?>, String> entry : WAYS_OUT.entrySet()) {
			if (entry.getKey().isAssignableFrom(wrapper)) {
				return name + ", " + entry.getValue();
			}
		}
		return (mayBeAnything(type)) ? null : general(type);
	}

	private static String general(Class<?> type) {
		return type.getTypeName() + ", whose toString() may differ between JVMs for equal values. Pick a value with a "
				+ "stable text, such as the id. The value may be text, a whole or decimal number, a boolean, an enum, "
				+ "a UUID, an ObjectId, a Currency, a time without a zone, or a record of these";
	}

	private static @Nullable String ofComponents(Class<?> type, Set<Class<?>> seen) {
		for (RecordComponent component : type.getRecordComponents()) {
			String refusal = refusal(component.getType(), seen);
			if (refusal != null) {
				return type.getTypeName() + ", whose component '" + component.getName() + "' is a " + refusal;
			}
		}
		return null;
	}

	private static boolean mayBeAnything(Class<?> type) {
		return type.isInterface() || type == Object.class || type == Number.class || type == Record.class;
	}

	private static Map<Class<?>, String> waysOut() {
		Map<Class<?>, String> ways = new LinkedHashMap<>();
		String several = "but a lock has only one key. Pick one value";
		for (Class<?> type : Set.of(Map.class, Collection.class, Iterator.class, BaseStream.class)) {
			ways.put(type, several);
		}
		ways.put(Optional.class, several + ", for example by get()");
		String zone = "whose text depends on a time zone, so one moment would have different keys. Pick an Instant, "
				+ "for example by toInstant()";
		for (Class<?> type : Set.of(Date.class, Calendar.class, ZonedDateTime.class, OffsetDateTime.class)) {
			ways.put(type, zone);
		}
		String floating = "whose text depends on the version of Java. Use a BigDecimal, or a whole number "
				+ "(cents instead of euros)";
		ways.put(Double.class, floating);
		ways.put(Float.class, floating);
		ways.put(URI.class, "but equal URIs may have different texts. To use the text as the key, call toString()");
		return Collections.unmodifiableMap(ways);
	}

}
