package io.mongolock.mongodb;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Objects;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoAction;
import org.springframework.data.mongodb.core.MongoActionOperation;
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
 * save and a removal: whichever it has, auditing among them; and asks how it has its
 * updates confirmed. Thread-safe.
 * <p>
 * By reflection, because a template offers none of that in public: it tells neither its
 * callbacks, which may be others than the context's, nor whether it has events off, nor
 * its write concern, and what calls them is for subclasses of that very object.
 *
 * @param template the application's template
 * @param own has what is about to be written, for {@link PlainSaves}
 */
record EntityLifecycle(MongoTemplate template, ThreadLocal<@Nullable Object> own) {

	private static final Method EVENT = method("maybeEmitEvent", MongoMappingEvent.class);

	private static final Method AFTER_CONVERT = method("maybeCallAfterConvert", Object.class, Document.class,
			String.class);

	private static final Method BEFORE_CONVERT = method("maybeCallBeforeConvert", Object.class, String.class);

	private static final Method BEFORE_SAVE = method("maybeCallBeforeSave", Object.class, Document.class, String.class);

	private static final Method AFTER_SAVE = method("maybeCallAfterSave", Object.class, Document.class, String.class);

	private static final Method PREPARE_WRITE_CONCERN = method("prepareWriteConcern", MongoAction.class);

	private static final Field WRITE_CONCERN = Objects
		.requireNonNull(ReflectionUtils.findField(MongoTemplate.class, "writeConcern"));

	static {
		ReflectionUtils.makeAccessible(WRITE_CONCERN);
	}

	void loaded(Document document, Class<?> type, String collection) {
		call(EVENT, new AfterLoadEvent<>(document, type, collection));
	}

	<T> T converted(T entity, Document document, String collection) {
		call(EVENT, new AfterConvertEvent<>(document, entity, collection));
		return call(AFTER_CONVERT, entity, document, collection);
	}

	<T> T beforeConvert(T entity, String collection) {
		BeforeConvertEvent<T> event = call(EVENT, new BeforeConvertEvent<>(entity, collection));
		Object outer = this.own.get();
		this.own.set(event.getSource());
		try {
			return call(BEFORE_CONVERT, event.getSource(), collection);
		}
		finally {
			this.own.set(outer);
		}
	}

	<T> T beforeSave(T entity, Document document, String collection) {
		call(EVENT, new BeforeSaveEvent<>(entity, document, collection));
		return call(BEFORE_SAVE, entity, document, collection);
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

	/**
	 * Have an update confirmed as the template's own, but always answered. Its own
	 * updates would map once more what is mapped already.
	 * @param documents the collection
	 * @param type the type of the document
	 * @param filter what the update finds
	 * @param change what it changes
	 * @return the collection with that write concern
	 */
	MongoCollection<Document> confirmed(MongoCollection<Document> documents, Class<?> type, Document filter,
			Document change) {
		MongoAction action = new MongoAction((WriteConcern) ReflectionUtils.getField(WRITE_CONCERN, this.template),
				MongoActionOperation.UPDATE, documents.getNamespace().getCollectionName(), type, change, filter);
		WriteConcern prepared = (WriteConcern) ReflectionUtils.invokeMethod(PREPARE_WRITE_CONCERN, this.template,
				action);
		WriteConcern concern = (prepared != null) ? prepared : documents.getWriteConcern();
		return documents.withWriteConcern((concern.isAcknowledged()) ? concern : WriteConcern.ACKNOWLEDGED);
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
