package io.mongolock.documents;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.util.ClassUtils;

import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;

/**
 * Refuses saves by the application's template that would drop a document's lock, because
 * a save replaces the whole document. If this application has locked the document, all
 * saves are refused, except a replacement that names no id. If another has locked it,
 * saves are refused for {@link LockGuarded} types only. Must be a bean, so that the
 * template and {@link DocumentLockOperations} find it. Thread-safe.
 */
final class UnlockedSaveGuard implements BeforeConvertCallback<Object>, SmartInitializingSingleton, PriorityOrdered {

	/** The methods of the template that write documents. */
	private static final Pattern WRITE = Pattern.compile("save|(do)?(insert|replace).*|findAndReplace");

	private final ObjectProvider<DocumentLockOperations> operations;

	private final ObjectProvider<MongoMappingContext> contexts;

	/** Weak references, so that a handle that is never closed can be noticed. */
	private final Set<HeldDocument<?>> locked = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	private final ThreadLocal<@Nullable Object> own = new ThreadLocal<>();

	/**
	 * Create without locked documents.
	 * @param operations know the holders, and are asked for guarded types alone; with
	 * several databases, a document that is locked in one is refused in all
	 * @param contexts know the types of documents, and their versions
	 */
	UnlockedSaveGuard(ObjectProvider<DocumentLockOperations> operations, ObjectProvider<MongoMappingContext> contexts) {
		this.operations = operations;
		this.contexts = contexts;
	}

	/**
	 * Refuse {@link LockGuarded} types without a version, among the types that are known
	 * at the start.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		for (MongoMappingContext context : this.contexts.orderedStream().toList()) {
			for (MongoPersistentEntity<?> entity : List.copyOf(context.getPersistentEntities())) {
				requireVersion(entity.getType());
			}
		}
	}

	static UnlockedSaveGuard of(ApplicationContext context) {
		BeanFactory none = new StaticListableBeanFactory();
		return context.getBeanProvider(UnlockedSaveGuard.class)
			.getIfAvailable(() -> new UnlockedSaveGuard(none.getBeanProvider(DocumentLockOperations.class),
					none.getBeanProvider(MongoMappingContext.class)));
	}

	void locked(HeldDocument<?> held) {
		this.locked.removeIf(HeldDocument::isDone);
		this.locked.add(held);
	}

	private Stream<HeldDocument<?>> locked() {
		synchronized (this.locked) {
			return List.copyOf(this.locked).stream();
		}
	}

	/**
	 * The entity that this library is about to write, in a way that keeps the lock.
	 * @return the entity that callbacks are called with
	 */
	ThreadLocal<@Nullable Object> own() {
		return this.own;
	}

	/**
	 * Check the lock of a document that is about to be saved. This runs before other
	 * callbacks and the template change anything except the version.
	 * @throws IllegalStateException if this application has locked the document
	 * @throws LockUnavailableException if the type is guarded and another has locked the
	 * document
	 */
	@Override
	public Object onBeforeConvert(Object entity, String collection) {
		if (entity == this.own.get()) {
			this.own.remove();
			return entity;
		}
		Class<?> type = ClassUtils.getUserClass(entity);
		requireVersion(type);
		Object id = (entity instanceof Map<?, ?> map) ? map.get("_id")
				: mappings(type).findFirst()
					.map((mapping) -> mapping.getIdentifierAccessor(entity).getIdentifier())
					.orElse(null);
		try {
			// Without an id it is an insert, or a replacement that the holder notices
			if (id != null) {
				refuseIfLockedHere(id, collection);
				refuseIfGuarded(type, id, collection);
			}
		}
		catch (RuntimeException ex) {
			takeBackVersion(type, entity);
			throw ex;
		}
		return entity;
	}

	private void refuseIfLockedHere(Object id, String collection) {
		List<HeldDocument<?>> here = locked().filter((held) -> held.type().is(held.key(), id, collection)).toList();
		if (here.stream()
			.anyMatch((held) -> here.stream()
				.noneMatch((other) -> other.isWrittenHere() && other.type().isBeside(held.type()))
					&& held.isToBeSaved())) {
			throw new IllegalStateException("The " + here.get(0) + " cannot be saved by the template or a repository, "
					+ "because that save would drop the document's lock. "
					+ ((here.stream().anyMatch(HeldDocument::isOpen)) ? """
							Save the document with locked.save(entity). A method with \
							@DistributedLock(document = …) gets this LockedDocument as a parameter"""
							: "The LockedDocument was closed or saved, but the surrounding locked call or transaction "
									+ "keeps the lock. Save the document after that call or transaction has ended. To "
									+ "save the document here, lock it again first"));
		}
	}

	/**
	 * Refuse the write of a document of a guarded type while it is locked.
	 * @param type the type
	 * @param id the id of the document
	 * @param collection the collection of the document
	 * @throws LockUnavailableException if it is locked, unless this thread's transaction
	 * has written it under its lock
	 */
	void refuseIfGuarded(Class<?> type, Object id, String collection) {
		if (!isGuarded(type)) {
			return;
		}
		// In another database, another holder may have a document with the same id
		Set<Long> written = locked()
			.filter((held) -> held.isWrittenHere() && held.type().is(held.key(), id, collection))
			.map(HeldDocument::fence)
			.collect(Collectors.toSet());
		this.operations.stream()
			.flatMap((operations) -> find(operations, type, id, collection).stream())
			.filter((lock) -> !written.contains(lock.holder().fence()))
			.findFirst()
			.ifPresent((lock) -> {
				LockHolder holder = lock.holder();
				throw new LockUnavailableException(String.valueOf(id), List.of(holder), Duration.ZERO, 0,
						type.getSimpleName() + " '" + id + "' was not saved, because the document has been locked by "
								+ holder.owner() + " since " + holder.acquiredAt() + ". Before you save the document, "
								+ "lock it with DocumentLockOperations");
			});
	}

	// The application may have wrapped our operations in its own, which know only the
	// type's collection
	private Optional<DocumentLock> find(DocumentLockOperations operations, Class<?> type, Object id,
			String collection) {
		try {
			if (operations instanceof Holders holders) {
				return holders.find(type, id, collection);
			}
			boolean own = mappings(type).anyMatch((mapping) -> mapping.getCollection().equals(collection));
			return (own) ? operations.find(type, id) : Optional.empty();
		}
		catch (LockStoreException ex) {
			// Callers of a save or an update expect an exception of Spring's
			throw new DataAccessResourceFailureException(type.getSimpleName() + " '" + id
					+ "' was not saved, because it is unknown whether the document is locked: " + ex.getMessage(), ex);
		}
	}

	private static boolean isGuarded(Class<?> type) {
		return AnnotatedElementUtils.hasAnnotation(type, LockGuarded.class);
	}

	private void requireVersion(Class<?> type) {
		if (isGuarded(type) && mappings(type).noneMatch(MongoPersistentEntity::hasVersionProperty)) {
			throw new IllegalStateException(type.getSimpleName() + " is @LockGuarded and has no @Version, so a save "
					+ "would drop a lock that was granted just after the save had checked for locks. Add a field like "
					+ "'@Version Long version', with @Version of org.springframework.data.annotation");
		}
	}

	private Stream<? extends MongoPersistentEntity<?>> mappings(Class<?> type) {
		return this.contexts.orderedStream().flatMap((context) -> Stream.ofNullable(context.getPersistentEntity(type)));
	}

	// If the version stayed raised, a later save of the object could match what another
	// has saved meanwhile
	private void takeBackVersion(Class<?> type, Object entity) {
		if (!isRaised()) {
			return;
		}
		mappings(type).filter(MongoPersistentEntity::hasVersionProperty).findFirst().ifPresent((mapping) -> {
			Number raised = Versions.of(entity, mapping);
			if (raised != null && raised.longValue() > 0) {
				Versions.set(entity, mapping, raised.longValue() - 1);
			}
		});
	}

	// All writes call this in the same way, but only a save has raised the version
	// before. The nearest write decides, because a callback of a save may write something
	// else. An unknown method is taken for a save
	private static boolean isRaised() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.filter(UnlockedSaveGuard::isWrite)
				.findFirst()
				.map((frame) -> frame.getMethodName().equals("save"))
				.orElse(true));
	}

	private static boolean isWrite(StackFrame frame) {
		return frame.getClassName().startsWith(MongoTemplate.class.getPackageName())
				&& (frame.getClassName().contains("Bulk") || WRITE.matcher(frame.getMethodName()).matches());
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/**
	 * Knows the holders of documents in any collection.
	 */
	interface Holders {

		/**
		 * The lock of a document.
		 * @param type the type of the document
		 * @param id its id
		 * @param collection its collection, which can differ from the type's
		 * @return the lock, or empty if it is free or there is no such document
		 */
		Optional<DocumentLock> find(Class<?> type, Object id, String collection);

	}

}
