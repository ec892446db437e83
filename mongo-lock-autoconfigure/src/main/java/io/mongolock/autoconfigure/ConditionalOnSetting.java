package io.mongolock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches by a setting that is true or false, as the properties themselves are read, so
 * that {@code yes} and {@code off} mean the same to both. What is neither is refused.
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
	 * What it has to be.
	 */
	boolean havingValue() default true;

	/**
	 * What it is if it is not set.
	 */
	boolean byDefault();

}
