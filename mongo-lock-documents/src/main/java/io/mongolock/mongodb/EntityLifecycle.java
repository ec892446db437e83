package io.mongolock.mongodb;

import java.util.function.Supplier;

import org.bson.Document;
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
import org.springframework.util.function.SingletonSupplier;

/**
 * Calls the application's callbacks and publishes Spring Data's events as its template
 * does on a load, a save and a removal, auditing among them. Thread-safe.
 *
 * @param callbacks the callbacks, asked for when first needed
 * @param events takes the events
 * @param guard is to let pass what this writes
 */
record EntityLifecycle(Supplier<EntityCallbacks> callbacks, ApplicationEventPublisher events, SaveGuard guard) {

	EntityLifecycle(ApplicationContext context, SaveGuard guard) {
		this(SingletonSupplier.of(() -> EntityCallbacks.create(context)), context, guard);
	}

	void loaded(Document document, Class<?> type, String collection) {
		this.events.publishEvent(new AfterLoadEvent<>(document, type, collection));
	}

	<T> T converted(T entity, Document document, String collection) {
		this.events.publishEvent(new AfterConvertEvent<>(document, entity, collection));
		return this.callbacks.get().callback(AfterConvertCallback.class, entity, document, collection);
	}

	<T> T beforeConvert(T entity, String collection) {
		BeforeConvertEvent<T> event = new BeforeConvertEvent<>(entity, collection);
		this.events.publishEvent(event);
		return this.callbacks.get().callback(BeforeConvertCallback.class, event.getSource(), collection);
	}

	<T> T beforeSave(T entity, Document document, String collection) {
		this.events.publishEvent(new BeforeSaveEvent<>(entity, document, collection));
		return this.guard.keeping(document,
				() -> this.callbacks.get().callback(BeforeSaveCallback.class, entity, document, collection));
	}

	<T> T saved(T entity, Document document, String collection) {
		this.events.publishEvent(new AfterSaveEvent<>(entity, document, collection));
		return this.callbacks.get().callback(AfterSaveCallback.class, entity, document, collection);
	}

	void deleting(Document id, Class<?> type, String collection) {
		this.events.publishEvent(new BeforeDeleteEvent<>(id, type, collection));
	}

	void deleted(Document id, Class<?> type, String collection) {
		this.events.publishEvent(new AfterDeleteEvent<>(id, type, collection));
	}

}
