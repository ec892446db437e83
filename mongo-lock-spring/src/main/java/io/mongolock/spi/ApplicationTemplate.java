package io.mongolock.spi;

import java.util.Arrays;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * The template that writes the application's own documents and joins its transactions.
 * {@link LockEnvironment#template()} is a different template.
 */
public final class ApplicationTemplate {

	private ApplicationTemplate() {
	}

	/**
	 * Find the template.
	 * @param beans the beans of the application
	 * @param who the name of the component that needs the template, for the message
	 * @param factory the factory that makes such a component for each of several
	 * templates, for the message
	 * @return the only template, or the primary one
	 * @throws LockStartupException if there is no template, or if there are several and
	 * none is primary
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
