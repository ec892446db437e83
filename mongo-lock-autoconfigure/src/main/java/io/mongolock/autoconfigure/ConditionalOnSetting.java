package io.mongolock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches by a setting that is true or false, read as the properties themselves are, so
 * that {@code yes} and {@code off} mean the same to both. Anything else is refused.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Conditional(OnSettingCondition.class)
@interface ConditionalOnSetting {

	/**
	 * The setting.
	 * @return its name without the prefix
	 */
	String name();

	/**
	 * The value that it has to have.
	 */
	boolean havingValue() default true;

	/**
	 * Its value if it is not set.
	 */
	boolean byDefault();

}
