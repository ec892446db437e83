package io.mongolock;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has all tests look often whether what they wait for has happened: the 100 ms that
 * Awaitility lets pass before the first look are longer than most of them last.
 * Registered by {@code META-INF/services}.
 */
public class OftenPolling implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
	}

}
