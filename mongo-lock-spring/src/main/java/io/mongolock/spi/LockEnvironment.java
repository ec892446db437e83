package io.mongolock.spi;

import java.time.Duration;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.store.LockStore;

/**
 * The parts that the locks of this application are made of. This is a bean if Spring Data
 * MongoDB is present, even if {@code mongo-lock.enabled} is {@code false}. A bean that
 * uses it {@linkplain org.springframework.context.annotation.DependsOn depends on} the
 * bean {@value #VALIDATOR}, so that a wrong setting is refused before it is used. A
 * {@link LockExtension} must not depend on that bean, because that bean needs all
 * extensions. Thread-safe.
 */
public interface LockEnvironment {

	/** The name of the bean that refuses wrong settings. */
	String VALIDATOR = "mongoLockSettingsValidator";

	/**
	 * Open a client for a store. It has the application's settings, owner, clock and
	 * listeners, except the listener that takes a grant as proof that the lock collection
	 * is writable. It does not hand over locks within this JVM, so each grant is an
	 * answer of the store. It accepts any ttl, because no TTL index of this library
	 * removes the store's locks. It starts with its first claim, and stops with the
	 * application's own client. Stopping releases the locks that it still holds.
	 * <p>
	 * Make neither the store nor {@link StoreClient#locks()} a bean. Otherwise the
	 * application's own {@code LockStore} and {@code LockOperations} would back off, and
	 * all of its locks would be in this store. The {@link StoreClient} may be a bean.
	 * @param store the store of the client's locks
	 * @return the client
	 */
	StoreClient open(LockStore store);

	/**
	 * A template on the database of the locks that never joins a session or transaction
	 * of its caller. Use it only for statements of the driver, because it does not map
	 * entities.
	 * @return the template
	 * @throws RuntimeException if it is not clear which database that is; the message
	 * says what to do. The application needs such a database only if this method is
	 * called
	 */
	MongoOperations template();

	/**
	 * The clock of the locks if they are in the memory of this JVM, as in a test. A
	 * module then keeps its own data in memory, too.
	 * @return the clock, {@code null} if the locks are in the database of the
	 * {@link #template() template}
	 * @throws LockStartupException if a {@link LockStore} bean keeps the locks elsewhere
	 */
	@Nullable InstantSource localClock();

	/**
	 * The collection of the locks. A store may keep queues there, too, because no lock
	 * has a document as its id. The TTL index removes documents whose {@code touchedAt}
	 * is long ago.
	 * @return the name of the collection
	 */
	String collection();

	/**
	 * The prefix of all stored keys, for applications that share a collection.
	 * @return the prefix, may be empty
	 */
	String keyPrefix();

	/**
	 * How long one request to MongoDB may take, unless the settings of a name say
	 * otherwise.
	 * @return the timeout
	 */
	Duration operationTimeout();

}
