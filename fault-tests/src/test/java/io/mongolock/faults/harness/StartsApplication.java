package io.mongolock.faults.harness;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Marks tests that start Spring Boot applications in this JVM: one class at a time, as
 * each application sets up the logging of all.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ResourceLock("logging")
public @interface StartsApplication {

}
