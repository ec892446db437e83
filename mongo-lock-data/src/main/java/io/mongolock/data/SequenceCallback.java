package io.mongolock.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Fills the fields marked with {@link Sequence} before a document is converted.
 * Thread-safe.
 */
final class SequenceCallback implements BeforeConvertCallback<Object>, SmartInitializingSingleton {

	private static final Set<Class<?>> TYPES = Set.of(Long.class, long.class, Integer.class, int.class);

	private final Map<Class<?>, List<MongoPersistentProperty>> numbered = new ConcurrentHashMap<>();

	private final ObjectProvider<Sequences> sequences;

	private final ObjectProvider<MongoMappingContext> contexts;

	/**
	 * Create a new callback. It is created together with the templates that call it, so
	 * it resolves other beans only when there is a field to fill.
	 * @param sequences the source of the numbers
	 * @param contexts know the fields of documents
	 */
	SequenceCallback(ObjectProvider<Sequences> sequences, ObjectProvider<MongoMappingContext> contexts) {
		this.sequences = sequences;
		this.contexts = contexts;
	}

	/**
	 * Refuse fields that cannot be filled, for all types that are known at the start.
	 * Create the sequences if a type needs them.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		boolean any = false;
		for (MongoMappingContext context : this.contexts.orderedStream().toList()) {
			for (MongoPersistentEntity<?> entity : List.copyOf(context.getPersistentEntities())) {
				any |= !numbered(entity.getType()).isEmpty();
			}
		}
		if (any) {
			this.sequences.getObject();
		}
	}

	@Override
	public Object onBeforeConvert(Object document, String collection) {
		List<MongoPersistentProperty> properties = numbered(ClassUtils.getUserClass(document));
		if (properties.isEmpty()) {
			return document;
		}
		PersistentPropertyAccessor<Object> accessor = properties.get(0).getOwner().getPropertyAccessor(document);
		for (MongoPersistentProperty property : properties) {
			if (isUnset(accessor.getProperty(property))) {
				accessor.setProperty(property, next(property));
			}
		}
		return accessor.getBean();
	}

	private List<MongoPersistentProperty> numbered(Class<?> type) {
		List<MongoPersistentProperty> known = this.numbered.get(type);
		if (known == null) { // no computeIfAbsent: finding the mapping may call listeners
			known = this.contexts.orderedStream()
				.flatMap((context) -> Stream.ofNullable(context.getPersistentEntity(type)))
				.findFirst()
				.map(SequenceCallback::find)
				.orElse(List.of());
			this.numbered.put(type, known);
		}
		return known;
	}

	private Number next(MongoPersistentProperty property) {
		String sequence = name(property);
		long number = this.sequences.getObject().next(sequence);
		if (ClassUtils.resolvePrimitiveIfNecessary(property.getType()) == Long.class) {
			return number;
		}
		if (number > Integer.MAX_VALUE) {
			throw new DataIntegrityViolationException("Number " + number + " of sequence '" + sequence
					+ "' does not fit into " + describe(property) + ". Make this property a Long");
		}
		return (int) number;
	}

	private static List<MongoPersistentProperty> find(MongoPersistentEntity<?> entity) {
		List<MongoPersistentProperty> found = new ArrayList<>();
		for (MongoPersistentProperty property : entity) {
			if (property.isAnnotationPresent(Sequence.class)) {
				check(property, entity);
				found.add(property);
			}
		}
		return List.copyOf(found);
	}

	private static void check(MongoPersistentProperty property, MongoPersistentEntity<?> entity) {
		if (!TYPES.contains(property.getType())) {
			throw new IllegalStateException("@Sequence cannot fill " + describe(property)
					+ ". Make it a Long, long, Integer or int, or take the number from Sequences in your own code");
		}
		if (!StringUtils.hasText(name(property))) {
			throw new IllegalStateException(
					"@Sequence on " + describe(property) + " names no sequence. Name a sequence in this annotation");
		}
		// A save of an entity with an id replaces the document with the same id, unless a
		// version says that the entity is new
		if (property.isIdProperty() && !entity.hasVersionProperty()) {
			throw new IllegalStateException("@Sequence on " + describe(property)
					+ ", which is the id, needs an entity with a version. Without a version, a save would replace a "
					+ "document that already has the number, for example after an import. Add '@Version Long version', "
					+ "or put @Sequence on another field");
		}
	}

	private static String name(MongoPersistentProperty property) {
		return property.getRequiredAnnotation(Sequence.class).value();
	}

	private static boolean isUnset(@Nullable Object value) {
		return value == null || ((Number) value).longValue() == 0;
	}

	private static String describe(MongoPersistentProperty property) {
		return property.getOwner().getType().getSimpleName() + "." + property.getName() + " ("
				+ property.getType().getSimpleName() + ")";
	}

}
