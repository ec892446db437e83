package io.mongolock.mongodb;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveCallback;
import org.springframework.util.ClassUtils;

import io.mongolock.LockHolder;
import io.mongolock.LockUnavailableException;
import io.mongolock.store.LeaseId;

/**
 * Refuses saves by the application's template that would drop the lock of a document: a
 * save replaces the whole document. Those of documents that this application has locked
 * are refused always, those that another has locked for types that are
 * {@link LockGuarded}. To be a bean, which the template and
 * {@link DocumentLockOperations} find. Thread-safe.
 */
public final class PlainSaves
		implements BeforeConvertCallback<Object>, BeforeSaveCallback<Object>, SmartInitializingSingleton, Ordered {

	private final Supplier<Stream<DocumentLockOperations>> operations;

	private final Supplier<Stream<MongoMappingContext>> contexts;

	/** Weak, because a handle that nobody closes has to be noticed. */
	private final Set<HeldDocument<?>> locked = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	private final Guard guard = new Guard();

	/** What the saves of this thread began with, the innermost first. */
	private final ThreadLocal<@Nullable Begun> begun = new ThreadLocal<>();

	/**
	 * Create without locked documents.
	 * @param operations who has locked what, asked for guarded types alone; with several
	 * databases, a document that is locked in one is refused in all
	 * @param contexts know the types of documents, and their versions
	 */
	public PlainSaves(Supplier<Stream<DocumentLockOperations>> operations,
			Supplier<Stream<MongoMappingContext>> contexts) {
		this.operations = operations;
		this.contexts = contexts;
	}

	/**
	 * Refuse types, among those that are known at the start, that are {@link LockGuarded}
	 * without a version.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.contexts.get()
			.flatMap((context) -> List.copyOf(context.getPersistentEntities()).stream())
			.forEach((entity) -> isGuarded(entity.getType()));
	}

	static Optional<PlainSaves> of(ApplicationContext context) {
		return Optional.ofNullable(context.getBeanProvider(PlainSaves.class).getIfAvailable());
	}

	static SaveGuard guardOf(ApplicationContext context) {
		return of(context).map(PlainSaves::guard).orElse(SaveGuard.NONE);
	}

	SaveGuard guard() {
		return this.guard;
	}

	void locked(HeldDocument<?> held) {
		this.locked.removeIf((other) -> other.isOver() || other.isBefore(held));
		this.locked.add(held);
	}

	/**
	 * Nobody holds the lock of a document any more.
	 * @param key its key
	 * @param type its type
	 */
	void broken(String key, LockedType<?> type) {
		this.locked.removeIf((held) -> held.proof().key().equals(key) && held.type().isBeside(type));
	}

	private Stream<HeldDocument<?>> locked() {
		synchronized (this.locked) {
			return List.copyOf(this.locked).stream();
		}
	}

	/**
	 * A lock was released by its ticket: nobody has to close what was resumed by it.
	 * @param lease the lock
	 */
	void released(LeaseId lease) {
		this.locked.removeIf((held) -> held.proof().lease().equals(lease));
	}

	/**
	 * Note the caller's own object, which other callbacks may replace by a copy.
	 */
	@Override
	public Object onBeforeConvert(Object entity, String collection) {
		Number version = versioned(entity).map((mapping) -> RaisedVersion.of(entity, mapping)).orElse(null);
		this.begun.set(Begun.within(this.begun.get(), entity, version));
		return entity;
	}

	private Optional<? extends MongoPersistentEntity<?>> versioned(Object entity) {
		return mappings(ClassUtils.getUserClass(entity)).filter(MongoPersistentEntity::hasVersionProperty).findFirst();
	}

	// Those above it have failed
	private @Nullable Begun end(Object entity) {
		Begun found = this.begun.get();
		while (found != null && !found.isOf(entity)) {
			found = found.outer();
		}
		this.begun.set((found != null) ? found.outer() : null);
		return found;
	}

	/**
	 * Look at the lock of a document that is about to be saved.
	 * @throws IllegalStateException if this application has locked it
	 * @throws LockUnavailableException if it is guarded and another has locked it
	 */
	@Override
	public Object onBeforeSave(Object entity, Document document, String collection) {
		Begun begun = end(entity);
		if (document == this.guard.own.get()) {
			return entity;
		}
		Class<?> type = ClassUtils.getUserClass(entity);
		try {
			if (document.get("_id") == null) {
				refuseIfUnnamed(type, collection);
			}
			else {
				refuseIfLockedHere(document, collection);
				refuseIfGuarded(type, document, collection);
			}
		}
		catch (RuntimeException ex) {
			takeBackVersion(entity, begun);
			throw ex;
		}
		return entity;
	}

	private void refuseIfLockedHere(Document document, String collection) {
		List<HeldDocument<?>> here = locked().filter((held) -> held.type().is(held.proof().key(), document, collection))
			.toList();
		if (here.stream().anyMatch((held) -> held.isToBeSaved() && here.stream().noneMatch(held::isWrittenHereBy))) {
			throw new IllegalStateException("The " + here.get(0) + " cannot be saved by the template or a repository, "
					+ "which would drop its lock: "
					+ ((here.stream().anyMatch(HeldDocument::isOpen)) ? """
							save it by DocumentLockOperations.save(locked, entity). A method that is annotated \
							with @DistributedLock(document = …) has it as a parameter of type LockedDocument"""
							: "it was closed or saved, and stays locked until that, or the transaction around that, is "
									+ "over: lock it again there, or save it afterwards"));
		}
	}

	private void refuseIfGuarded(Class<?> type, Document document, String collection) {
		if (!isGuarded(type)) {
			return;
		}
		Object id = Objects.requireNonNull(document.get("_id"));
		// In another database somebody else may have it
		Set<Long> written = locked()
			.filter((held) -> held.isWrittenHere() && held.type().is(held.proof().key(), document, collection))
			.map(HeldDocument::fence)
			.collect(Collectors.toSet());
		this.operations.get()
			.flatMap((operations) -> operations.find(type, id, collection).stream())
			.filter((lock) -> !written.contains(lock.holder().fence()))
			.findFirst()
			.ifPresent((lock) -> {
				LockHolder holder = lock.holder();
				throw new LockUnavailableException(String.valueOf(id), List.of(holder), Duration.ZERO, 0,
						type.getSimpleName() + " '" + id + "' was not saved: it is locked by " + holder.owner()
								+ " since " + holder.acquiredAt()
								+ ". Lock it before you save it, by DocumentLockOperations");
			});
	}

	// An insert names no id, either, and drops nothing
	private void refuseIfUnnamed(Class<?> type, String collection) {
		if ((isGuarded(type) || isAnyLockedHere(collection)) && caller("replace", "findAndReplace") != null) {
			throw new IllegalStateException("A replacement that names no id may be that of a locked document of '"
					+ collection + "', and would drop its lock: give the " + type.getSimpleName()
					+ " the id of the document, or change its fields by MongoTemplate.updateFirst");
		}
	}

	private boolean isAnyLockedHere(String collection) {
		return locked().anyMatch((held) -> held.isToBeSaved() && held.type().collection().equals(collection));
	}

	private boolean isGuarded(Class<?> type) {
		boolean guarded = AnnotatedElementUtils.hasAnnotation(type, LockGuarded.class);
		if (guarded && mappings(type).noneMatch(MongoPersistentEntity::hasVersionProperty)) {
			throw new IllegalStateException(type.getSimpleName() + " is @LockGuarded and has no @Version: a save would "
					+ "drop a lock that is granted after its look. Add a field like '@Version Long version', with "
					+ "@Version of org.springframework.data.annotation");
		}
		return guarded;
	}

	private Stream<? extends MongoPersistentEntity<?>> mappings(Class<?> type) {
		return this.contexts.get().flatMap((context) -> Stream.ofNullable(context.getPersistentEntity(type)));
	}

	// A template raises it in the caller's own object before it asks
	private void takeBackVersion(Object entity, @Nullable Begun begun) {
		if (begun == null) {
			return;
		}
		String how = caller("doSaveVersioned", "doInsert", "doInsertBatch");
		if (how == null) {
			return;
		}
		Number noted = begun.version();
		Number before = (noted != null && how.equals("doSaveVersioned")) ? (Number) (noted.longValue() - 1) : noted;
		Stream.concat(Stream.of(entity), Stream.ofNullable(begun.entity().get()))
			.forEach((one) -> versioned(one).ifPresent((mapping) -> RaisedVersion.set(one, mapping, before)));
	}

	private static @Nullable String caller(String... methods) {
		return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
			.walk((frames) -> frames
				.filter((frame) -> MongoTemplate.class.isAssignableFrom(frame.getDeclaringClass())
						&& List.of(methods).contains(frame.getMethodName()))
				.map(StackWalker.StackFrame::getMethodName)
				.findFirst()
				.orElse(null));
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/**
	 * Knows what this library writes, which keeps the lock.
	 */
	private final class Guard implements SaveGuard {

		private final ThreadLocal<@Nullable Document> own = new ThreadLocal<>();

		@Override
		public <T> T keeping(Document document, Supplier<T> callbacks) {
			Document outer = this.own.get();
			this.own.set(document);
			try {
				return callbacks.get();
			}
			finally {
				this.own.set(outer);
			}
		}

		@Override
		public void refuseIfGuarded(Class<?> type, Document document, String collection) {
			PlainSaves.this.refuseIfGuarded(type, document, collection);
		}

	}

	/**
	 * What a save began with. One that fails before it is looked at leaves this behind.
	 *
	 * @param entity the caller's own object
	 * @param type its class
	 * @param version its version then, which a template raises first where it is not new
	 * @param depth how many there are, with this one
	 * @param outer that of the save whose callback this one is made by
	 */
	private record Begun(WeakReference<Object> entity, Class<?> type, @Nullable Number version, int depth,
			@Nullable Begun outer) {

		private static final int MAX_DEPTH = 16;

		static Begun within(@Nullable Begun outer, Object entity, @Nullable Number version) {
			int depth = (outer != null && outer.depth < MAX_DEPTH) ? outer.depth + 1 : 1;
			return new Begun(new WeakReference<>(entity), ClassUtils.getUserClass(entity), version, depth,
					(depth > 1) ? outer : null);
		}

		boolean isOf(Object entity) {
			return this.type.isInstance(entity);
		}

	}

}
