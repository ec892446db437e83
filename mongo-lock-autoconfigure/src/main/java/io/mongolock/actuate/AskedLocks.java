package io.mongolock.actuate;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.convert.DurationStyle;

import io.mongolock.core.DurationPrinter;
import io.mongolock.store.LockFilter;

/**
 * Reads the parameters of a user's request.
 */
final class AskedLocks {

	private AskedLocks() {
	}

	/**
	 * Read which locks to show.
	 * @param prefix the beginning of the keys, all keys if {@code null}
	 * @param holder a part of a holder's description, any holder if {@code null}
	 * @param heldFor a number and a unit, as in the settings, any time if {@code null}
	 */
	static LockFilter read(@Nullable String prefix, @Nullable String holder, @Nullable String heldFor) {
		return new LockFilter((prefix != null) ? prefix : "", (holder != null) ? holder : "",
				(heldFor != null && !heldFor.isBlank()) ? duration(heldFor) : Duration.ZERO);
	}

	/**
	 * The failure of a wrong request. Over HTTP the answer is 400 with this message.
	 */
	static InvalidEndpointRequestException refused(String message) {
		return new InvalidEndpointRequestException(message, message);
	}

	private static Duration duration(String heldFor) {
		String what = "heldFor=" + heldFor;
		if (DurationPrinter.lacksUnit(heldFor)) {
			throw refused(what + " has no unit. " + DurationPrinter.withUnit(heldFor));
		}
		Duration duration;
		try {
			duration = DurationStyle.detectAndParse(heldFor);
		}
		catch (IllegalArgumentException ex) {
			throw refused(what + " is no duration. Write a number and a unit, for example 5m or PT5M");
		}
		if (duration.isNegative()) {
			throw refused(what + " is negative. To see all held locks, leave out heldFor");
		}
		return duration;
	}

}
