package io.mongolock.documents;

import org.springframework.data.mongodb.MongoDatabaseFactory;

/**
 * The one database that documents are locked in. The threads that renew and read their
 * locks know no tenant of the application. If each call could have another database, the
 * documents of one tenant would be shown to another. So a call for another database is
 * refused. Thread-safe.
 *
 * @param factory gives the database
 * @param name its name
 */
record SingleDatabase(MongoDatabaseFactory factory, String name) {

	/**
	 * The database of a factory.
	 * @param factory the factory
	 * @return its database
	 */
	static SingleDatabase of(MongoDatabaseFactory factory) {
		return new SingleDatabase(factory, factory.getMongoDatabase().getName());
	}

	/**
	 * Check the database of the current call.
	 * @throws IllegalStateException if it is another database
	 */
	void check() {
		String now = this.factory.getMongoDatabase().getName();
		if (!now.equals(this.name)) {
			throw new IllegalStateException("This call is for database '" + now
					+ "', but this bean locks only documents of database '" + this.name
					+ "'. For each further database, call DocumentLockFactory.of with a separate MongoTemplate that "
					+ "has a SimpleMongoClientDatabaseFactory");
		}
	}

}
