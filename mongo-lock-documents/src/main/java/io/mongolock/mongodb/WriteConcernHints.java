package io.mongolock.mongodb;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * Says once what a failover may take back although it was acknowledged. Thread-safe.
 */
public final class WriteConcernHints {

	private static final Log logger = LogFactory.getLog(WriteConcernHints.class);

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	/**
	 * Look at what the writes of the application ask for.
	 * @param template the application's template
	 */
	public void look(MongoTemplate template) {
		try {
			MongoDatabase database = template.getMongoDatabaseFactory().getMongoDatabase();
			look("Writes of the application's MongoTemplate are", database.getWriteConcern(),
					"FencedWrites asks for the majority by itself, other writes do not. Put w=majority into "
							+ "spring.mongodb.uri, or set it in a MongoClientSettingsBuilderCustomizer");
		}
		catch (RuntimeException ex) {
			// a factory that routes may know no database before the first request
			logger.debug("The write concern of the application's MongoTemplate is not known yet", ex);
		}
	}

	/**
	 * Look at what the commit of a transaction asks for.
	 * @param session the session of the transaction
	 */
	void look(ClientSession session) {
		WriteConcern concern = session.getTransactionOptions().getWriteConcern();
		look("MongoDB transactions with guarded writes are committed and", concern,
				"Put w=majority into spring.mongodb.uri, or into the TransactionOptions of "
						+ "the MongoTransactionManager");
	}

	private void look(String what, @Nullable WriteConcern concern, String wayOut) {
		Object confirmations = (concern != null) ? concern.getWObject() : null;
		if ("majority".equals(confirmations) || !this.said.add(what)) {
			return;
		}
		if (confirmations == null) {
			logger.info(what
					+ " confirmed as the server has it by default: by the majority from MongoDB 5.0 on, if nobody "
					+ "has changed that and the set has no arbiter, and else by the primary alone. Then a failover may take "
					+ "back what was acknowledged. " + wayOut);
		}
		else {
			logger.warn(what + " confirmed with w=" + confirmations
					+ ": a failover may take back what was acknowledged. " + wayOut);
		}
	}

}
