package io.mongolock.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method only where this instance leads for a role, for example a
 * {@code @Scheduled} one; elsewhere its calls do nothing. As
 * {@link LeaderElection#ifLeader}: the lock of the role is not given up before the method
 * has ended. The method returns nothing and is called through the proxy of its bean: it
 * is neither private, static nor final.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * The role; there is a {@link LeaderElection} bean for it.
	 * @return the role
	 */
	String value();

}
