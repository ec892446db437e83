package io.mongolock.test.faults;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * For a test class with an application context. The test can make locks fail by a
 * {@link LockFaults} bean, which all requests for locks pass. Faults end with the test
 * method.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(LockFaultsConfiguration.class)
public @interface EnableLockFaults {

}
