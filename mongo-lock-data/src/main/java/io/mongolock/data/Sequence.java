package io.mongolock.data;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Fills an id or any other field of a document with the next number of a sequence when
 * the document is saved and the field is {@code null} or 0. The field is a {@link Long},
 * {@code long}, {@link Integer} or {@code int} of the document itself, not of one nested
 * in it. Records and other immutable documents are filled in the instance that
 * {@code save} returns.
 */
@Documented
@Target({ ElementType.FIELD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface Sequence {

	/**
	 * The name of the sequence.
	 * @return the name
	 */
	String value();

}
