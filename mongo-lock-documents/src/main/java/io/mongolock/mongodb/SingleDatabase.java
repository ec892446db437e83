package io.mongolock.mongodb;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.data.mongodb.MongoDatabaseFactory;

/**
 * The one database that documents are locked in. Their locks are renewed, and looked for,
 * by threads that know no tenant of the application: where each call may have another
 * database, the documents of one tenant would be shown to another. So this is refused, at
 * the start where it can be seen. Thread-safe.
 *
 * @param factory gives the database
 * @param name its name
 */
record SingleDatabase(MongoDatabaseFactory factory, String name) {

	private static final Set<String> CHOOSING = Set.of("getMongoDatabase", "doGetMongoDatabase",
			"getDefaultDatabaseName", "getMongoClient");

	private static final String WAY_OUT = "Documents are locked in one database: use DocumentLockFactory.of, one "
			+ "for each database, with a MongoTemplate of its own that has a SimpleMongoClientDatabaseFactory";

	/**
	 * The database of a factory.
	 * @param factory the factory
	 * @return its database
	 * @throws IllegalStateException if the factory may choose another for each call
	 */
	static SingleDatabase of(MongoDatabaseFactory factory) {
		choice(AopProxyUtils.ultimateTargetClass(factory)).ifPresent((how) -> {
			throw new IllegalStateException(
					"A " + factory.getClass().getName() + " may choose another database for each call, by " + how
							+ ", and no lock says by whom. " + WAY_OUT);
		});
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
					+ "', and its locks are in documents of '" + this.name + "'. " + WAY_OUT);
		}
	}

	// What Spring Data's own factories do is always the same
	private static Optional<String> choice(Class<?> factory) {
		Class<?> type = factory;
		while (!type.getPackageName().startsWith("org.springframework.data.mongodb")) {
			Optional<String> choosing = Arrays.stream(type.getDeclaredMethods())
				.filter((method) -> CHOOSING.contains(method.getName()))
				.findFirst()
				.map((method) -> method.getName() + "() of its own");
			if (choosing.isPresent()) {
				return choosing;
			}
			type = type.getSuperclass();
		}
		return Optional.empty();
	}

}
