package io.mongolock.documents;

import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.data.mapping.callback.EntityCallbacks;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterDeleteEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeDeleteEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveEvent;

/**
 * Calls the callbacks and publishes the events of loads, saves and removals, including
 * auditing. All of them come from the application's context. A template exposes its
 * callbacks only to its subclasses, and does not tell whether it publishes events. A save
 * by Spring Data that takes a filter and a pipeline would make this class unnecessary.
 * Thread-safe.
 *
 * @param events publishes the events
 * @param callbacks calls the callbacks
 * @param own has the entity that is about to be written, for {@link UnlockedSaveGuard}
 */
record EntityLifecycle(ApplicationEventPublisher events, EntityCallbacks callbacks, ThreadLocal<@Nullable Object> own) {

	EntityLifecycle(ApplicationContext context, ThreadLocal<@Nullable Object> own) {
		this(context, EntityCallbacks.create(context), own);
	}

	void loaded(Document document, Class<?> type, String collection) {
		this.events.publishEvent(new AfterLoadEvent<>(document, type, collection));
	}

	<T> T converted(T entity, Document document, String collection) {
		this.events.publishEvent(new AfterConvertEvent<>(document, entity, collection));
		return this.callbacks.callback(AfterConvertCallback.class, entity, document, collection);
	}

	<T> T beforeConvert(T entity, String collection) {
		this.events.publishEvent(new BeforeConvertEvent<>(entity, collection));
		this.own.set(entity);
		try {
			return this.callbacks.callback(BeforeConvertCallback.class, entity, collection);
		}
		finally {
			this.own.remove();
		}
	}

	<T> T beforeSave(T entity, Document document, String collection) {
		this.events.publishEvent(new BeforeSaveEvent<>(entity, document, collection));
		return this.callbacks.callback(BeforeSaveCallback.class, entity, document, collection);
	}

	<T> T saved(T entity, Document document, String collection) {
		this.events.publishEvent(new AfterSaveEvent<>(entity, document, collection));
		return this.callbacks.callback(AfterSaveCallback.class, entity, document, collection);
	}

	void deleting(Document id, Class<?> type, String collection) {
		this.events.publishEvent(new BeforeDeleteEvent<>(id, type, collection));
	}

	void deleted(Document id, Class<?> type, String collection) {
		this.events.publishEvent(new AfterDeleteEvent<>(id, type, collection));
	}

}
