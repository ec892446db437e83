package io.mongolock.mongodb;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Objects;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoCollection;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoAction;
import org.springframework.data.mongodb.core.MongoActionOperation;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.ReflectionUtils;

/**
 * The write concern that a template gives its updates. It tells nobody, and its own
 * updates map once more what is mapped already, so that it has to be asked this way.
 */
final class TemplateWriteConcern {

	private static final Field DEFAULT = Objects
		.requireNonNull(ReflectionUtils.findField(MongoTemplate.class, "writeConcern"));

	private static final Method PREPARE = Objects
		.requireNonNull(ReflectionUtils.findMethod(MongoTemplate.class, "prepareWriteConcern", MongoAction.class));

	static {
		ReflectionUtils.makeAccessible(DEFAULT);
		ReflectionUtils.makeAccessible(PREPARE);
	}

	private TemplateWriteConcern() {
	}

	/**
	 * Have an update confirmed as the template's own, but always answered.
	 * @param template the template
	 * @param documents the collection
	 * @param type the type of the document
	 * @param filter what the update finds
	 * @param change what it changes
	 * @return the collection with that write concern
	 */
	static MongoCollection<Document> applied(MongoTemplate template, MongoCollection<Document> documents, Class<?> type,
			Document filter, Document change) {
		MongoAction action = new MongoAction((WriteConcern) ReflectionUtils.getField(DEFAULT, template),
				MongoActionOperation.UPDATE, documents.getNamespace().getCollectionName(), type, change, filter);
		WriteConcern prepared = (WriteConcern) ReflectionUtils.invokeMethod(PREPARE, template, action);
		WriteConcern concern = (prepared != null) ? prepared : documents.getWriteConcern();
		return documents.withWriteConcern((concern.isAcknowledged()) ? concern : WriteConcern.ACKNOWLEDGED);
	}

}
