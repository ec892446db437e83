package io.mongolock.documents;

import com.mongodb.client.MongoDatabase;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * A template that says that it joins transactions and does not, because a standalone
 * server has none.
 */
class BesideTransactions extends MongoTemplate {

	BesideTransactions(MongoDatabaseFactory factory) {
		super(factory);
	}

	@Override
	public MongoDatabase getDb() {
		return super.doGetDatabase();
	}

	@Override
	protected MongoDatabase doGetDatabase() {
		return getMongoDatabaseFactory().getMongoDatabase();
	}

}
