package io.mongolock.documents;

import org.springframework.data.mongodb.MongoDatabaseFactory;

/**
 * The one database that documents are locked in. Their locks are renewed, and looked for,
 * by threads that know no tenant of the application: where each call may have another
 * database, the documents of one tenant would be shown to another. So a call for another
 * one is refused. Thread-safe.
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
	 * A call asks for documents in what is its database now.
	 * @throws IllegalStateException if that is another one
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
