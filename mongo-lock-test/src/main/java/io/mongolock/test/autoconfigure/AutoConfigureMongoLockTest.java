package io.mongolock.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * For a test class with an application context, whole or a slice. Annotated methods run
 * under locks that are kept in the memory of this JVM, so the locks need no MongoDB. A
 * service that uses a {@code MongoTemplate} still needs a MongoDB, for example an
 * {@link io.mongolock.test.embedded.EmbeddedMongo}. An
 * {@link io.mongolock.test.InMemoryLockStore} replaces the store in MongoDB, and a
 * {@link io.mongolock.test.LockAssertions} bean tells which locks are held. A
 * {@link io.mongolock.store.LockStore} bean of the application is not replaced.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration
public @interface AutoConfigureMongoLockTest {

	/**
	 * Whether all locks are freed after each test method. A holder then loses each lock
	 * that the test left held, and a warning names the test and the lock. Use
	 * {@code false} for test methods that run at the same time in one context.
	 * @return whether to reset, by default {@code true}
	 */
	boolean reset() default true;

}
