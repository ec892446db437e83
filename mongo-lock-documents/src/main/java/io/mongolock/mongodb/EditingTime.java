package io.mongolock.mongodb;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How long an editor of a document may be silent: the lease of a lock that is
 * {@link LockedDocument#ticket() passed on to a ticket} lasts so long from there, and
 * from each renewal by the ticket, unless the call that locked the document named a ttl.
 * Locks that are not passed on are not affected.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface EditingTime {

	/**
	 * The time, from one second to a year.
	 * @return for example {@code 30m} or {@code PT30M}
	 */
	String value();

}
