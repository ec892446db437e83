package io.mongolock;

import java.time.Duration;

/**
 * A setting is out of range, or contradicts another setting.
 */
public class InvalidLockSettingsException extends IllegalArgumentException {

	private final String setting;

	private final Object value;

	private final String reason;

	/**
	 * Create a new exception.
	 * @param setting the name of the setting, as in the configuration properties
	 * @param value its value
	 * @param reason what is wrong with it and what would be right
	 */
	public InvalidLockSettingsException(String setting, Duration value, String reason) {
		this(setting, value, format(value), reason);
	}

	/**
	 * Create a new exception.
	 * @param setting the name of the setting, as in the configuration properties
	 * @param value its value, a number
	 * @param reason what is wrong with it and what would be right
	 */
	public InvalidLockSettingsException(String setting, int value, String reason) {
		this(setting, value, String.valueOf(value), reason);
	}

	private InvalidLockSettingsException(String setting, Object value, String text, String reason) {
		super(setting + " " + text + " " + reason);
		this.setting = setting;
		this.value = value;
		this.reason = reason;
	}

	/**
	 * The name of the setting.
	 * @return the name as in the configuration properties, for example
	 * {@code renew-interval}
	 */
	public String getSetting() {
		return this.setting;
	}

	/**
	 * The value that was refused.
	 * @return a {@link Duration} or an {@link Integer}
	 */
	public Object getValue() {
		return this.value;
	}

	/**
	 * The rule that its value breaks.
	 * @return a clause, for example {@code must be at least 100ms}
	 */
	public String getReason() {
		return this.reason;
	}

	private static String format(Duration value) {
		boolean millis = value.getNano() % 1_000_000 == 0 && value.abs().compareTo(Duration.ofDays(10_000)) < 0;
		return (millis) ? value.toMillis() + "ms" : value.toString();
	}

}
