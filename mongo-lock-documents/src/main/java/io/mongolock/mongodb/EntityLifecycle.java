package io.mongolock.mongodb;

import java.lang.reflect.Method;
import java.util.Objects;

import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterDeleteEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeDeleteEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.MongoMappingEvent;
import org.springframework.util.ReflectionUtils;

/**
 * Has the application's template call the callbacks and publish the events of a load, a
 * save and a removal: whichever it has, auditing among them. Its methods are for
 * subclasses alone. Thread-safe.
 *
 * @param template the application's template
 * @param guard is to let pass what this writes
 */
record EntityLifecycle(MongoTemplate template, SaveGuard guard) {

	private static final Method EVENT = method("maybeEmitEvent", MongoMappingEvent.class);

	private static final Method AFTER_CONVERT = method("maybeCallAfterConvert", Object.class, Document.class,
			String.class);

	private static final Method BEFORE_CONVERT = method("maybeCallBeforeConvert", Object.class, String.class);

	private static final Method BEFORE_SAVE = method("maybeCallBeforeSave", Object.class, Document.class, String.class);

	private static final Method AFTER_SAVE = method("maybeCallAfterSave", Object.class, Document.class, String.class);

	void loaded(Document document, Class<?> type, String collection) {
		call(EVENT, new AfterLoadEvent<>(document, type, collection));
	}

	<T> T converted(T entity, Document document, String collection) {
		call(EVENT, new AfterConvertEvent<>(document, entity, collection));
		return call(AFTER_CONVERT, entity, document, collection);
	}

	<T> T beforeConvert(T entity, String collection) {
		BeforeConvertEvent<T> event = call(EVENT, new BeforeConvertEvent<>(entity, collection));
		return call(BEFORE_CONVERT, event.getSource(), collection);
	}

	<T> T beforeSave(T entity, Document document, String collection) {
		call(EVENT, new BeforeSaveEvent<>(entity, document, collection));
		return this.guard.keeping(document, () -> call(BEFORE_SAVE, entity, document, collection));
	}

	<T> T saved(T entity, Document document, String collection) {
		call(EVENT, new AfterSaveEvent<>(entity, document, collection));
		return call(AFTER_SAVE, entity, document, collection);
	}

	void deleting(Document id, Class<?> type, String collection) {
		call(EVENT, new BeforeDeleteEvent<>(id, type, collection));
	}

	void deleted(Document id, Class<?> type, String collection) {
		call(EVENT, new AfterDeleteEvent<>(id, type, collection));
	}

	@SuppressWarnings("unchecked") // each returns what it is given, or another of its
									// type
	private <T> T call(Method method, T subject, Object... more) {
		Object[] arguments = new Object[more.length + 1];
		arguments[0] = subject;
		System.arraycopy(more, 0, arguments, 1, more.length);
		return (T) Objects.requireNonNull(ReflectionUtils.invokeMethod(method, this.template, arguments));
	}

	private static Method method(String name, Class<?>... parameters) {
		Method method = Objects.requireNonNull(ReflectionUtils.findMethod(MongoTemplate.class, name, parameters));
		ReflectionUtils.makeAccessible(method);
		return method;
	}

}
