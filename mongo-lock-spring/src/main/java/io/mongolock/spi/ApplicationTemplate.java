package io.mongolock.spi;

import java.util.Arrays;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * The template that the application's own documents are written with, which joins its
 * transactions. {@link LockEnvironment#template()} is another one.
 */
public final class ApplicationTemplate {

	private ApplicationTemplate() {
	}

	/**
	 * Find it.
	 * @param beans the beans of the application
	 * @param who what needs it
	 * @param factory what makes one of these for each of several templates
	 * @return the only template, or the primary one
	 * @throws LockStartupException if there is none, or it is not clear which it is
	 */
	public static MongoTemplate of(ListableBeanFactory beans, String who, String factory) {
		if (beans.getBeanProvider(MongoOperations.class).getIfUnique() instanceof MongoTemplate only) {
			return only;
		}
		throw new LockStartupException(
				who + " needs one MongoTemplate for the application's own documents, but found these beans: "
						+ Arrays.toString(beans.getBeanNamesForType(MongoOperations.class)) + ".",
				"Declare one MongoTemplate bean, or mark one bean as @Primary. To use several templates, declare "
						+ "one " + who + " bean per template, and create each bean with " + factory + ".");
	}

}
