package io.mongolock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches by a setting that is true or false. The setting is read like the properties
 * themselves, so that {@code yes} and {@code off} mean the same to both. Other values are
 * refused.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE, ElementType.METHOD })
@Conditional(ConditionalOnSetting.OnSetting.class)
@interface ConditionalOnSetting {

	/**
	 * The setting.
	 * @return the name without the prefix
	 */
	String name();

	/**
	 * The value that the setting must have.
	 */
	boolean havingValue() default true;

	/**
	 * The value if the setting is not set.
	 */
	boolean byDefault();

	/**
	 * Reads the setting and decides.
	 */
	class OnSetting extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			MergedAnnotation<ConditionalOnSetting> condition = metadata.getAnnotations()
				.get(ConditionalOnSetting.class);
			String property = MongoLockProperties.PREFIX + "." + condition.getString("name");
			boolean value = read(context.getEnvironment(), property, condition.getBoolean("byDefault"));
			return new ConditionOutcome(value == condition.getBoolean("havingValue"),
					ConditionMessage.forCondition(ConditionalOnSetting.class).because(property + " is " + value));
		}

		private static boolean read(Environment environment, String property, boolean byDefault) {
			Binder binder = Binder.get(environment);
			BindResult<String> written = binder.bind(property, String.class);
			if (!written.isBound()) {
				return byDefault;
			}
			try {
				return binder.bind(property, Boolean.class).orElseThrow(() -> invalid(property, written.get()));
			}
			catch (BindException ex) {
				throw invalid(property, written.get());
			}
		}

		private static InvalidConfigurationPropertyValueException invalid(String property, String value) {
			return new InvalidConfigurationPropertyValueException(property, value,
					"must be true, false, on, off, yes, no, 1 or 0");
		}

	}

}
