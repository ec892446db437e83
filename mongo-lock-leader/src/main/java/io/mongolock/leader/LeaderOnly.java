package io.mongolock.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method, for example a {@code @Scheduled} one, only while this instance leads for
 * a role. In other instances, calls of the method do nothing. As with
 * {@link LeaderElection#ifLeader}, the lock of the role is not given up before the method
 * has ended. The method must return nothing. It is called through the proxy of its bean,
 * so it must not be private, static or final.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * The role, for which there must be a {@link LeaderElection} bean.
	 * @return the role
	 */
	String value();

}
