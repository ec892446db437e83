package io.mongolock.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * On a test class with an application context, whole or a slice: annotated methods run
 * under locks that are kept in the memory of this JVM, so that no MongoDB is needed for
 * the locks; a service that uses a {@code MongoTemplate} still needs one, for example an
 * {@link io.mongolock.test.embedded.EmbeddedMongo}. An
 * {@link io.mongolock.test.InMemoryLockStore} takes the place of the store in MongoDB,
 * and a {@link io.mongolock.test.LockAssertions} bean says which locks are held. A
 * {@link io.mongolock.store.LockStore} bean of the application is left alone.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration
public @interface AutoConfigureMongoLockTest {

	/**
	 * Whether all locks are free again after each test method. What a test left held is
	 * then lost for its holder, with a warning that names test and lock. {@code false}
	 * for test methods that run at the same time in one context.
	 * @return whether to reset, by default {@code true}
	 */
	boolean reset() default true;

}
