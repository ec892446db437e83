package io.mongolock.spi;

import java.time.Duration;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.store.LockStore;

/**
 * The parts that the locks of this application are made of: a bean, where there is Spring
 * Data MongoDB, also if {@code mongo-lock.enabled} is {@code false}. A bean that uses it
 * {@linkplain org.springframework.context.annotation.DependsOn depends on} the bean
 * {@value #VALIDATOR}, so that a wrong setting is refused before it is used; but a
 * {@link LockExtension}, which that bean asks for, does not. Thread-safe.
 */
public interface LockEnvironment {

	/** The name of the bean that refuses wrong settings. */
	String VALIDATOR = "mongoLockSettingsValidator";

	/**
	 * Open a client for a store. It has the settings, the owner, the clock and the
	 * listeners of the application, but for the one that takes grants for a proof that
	 * its lock collection can be written. It hands nothing over within this JVM, so each
	 * grant is an answer of the store; and it takes any ttl, since no TTL index of this
	 * library removes what the store keeps. It starts with its first claim, and stops
	 * with the application's own client, which releases what it still holds.
	 * <p>
	 * Make neither the store nor {@link StoreClient#locks()} a bean: the application has
	 * a {@code LockStore} and {@code LockOperations} of its own, which would back off, so
	 * that all of its locks would be in this store. The {@link StoreClient} may be one.
	 * @param store where its locks are
	 * @return the client
	 */
	StoreClient open(LockStore store);

	/**
	 * A template on the database of the locks that never joins a session or transaction
	 * of its caller. It is for statements of the driver: it maps no entities.
	 * @return the template
	 * @throws RuntimeException if it is not clear which database that is, with the way
	 * out; the application need not have one unless somebody asks
	 */
	MongoOperations template();

	/**
	 * The clock of the locks if they are in the memory of this JVM, as in a test. What
	 * belongs beside them is then kept there, too.
	 * @return the clock, {@code null} if the locks are in the {@link #template()
	 * template}
	 * @throws LockStartupException if they are in a {@link LockStore} bean that keeps
	 * them elsewhere
	 */
	@Nullable InstantSource localClock();

	/**
	 * The collection of the locks. A store may keep queues there, too: no lock has a
	 * document as its id, and the TTL index removes what was last {@code touchedAt} long
	 * ago.
	 * @return its name
	 */
	String collection();

	/**
	 * What all keys are stored with, for several applications that share a collection.
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
