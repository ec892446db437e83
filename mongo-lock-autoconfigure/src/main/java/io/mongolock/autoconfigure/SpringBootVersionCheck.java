package io.mongolock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.spi.LockStartupException;

/**
 * Fails startup on Spring Boot 3, where classes have other names. There the
 * auto-configuration would back off silently, and methods would run without their locks.
 * Uses only code that is the same in both versions.
 */
class SpringBootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		check(SpringBootVersion.getVersion());
	}

	static void check(@Nullable String version) {
		if (version != null && version.matches("[123]\\..*")) {
			throw new LockStartupException("mongo-lock needs Spring Boot 4.0 or later, but this is " + version + ".",
					"Upgrade Spring Boot, or remove mongo-lock-starter.");
		}
	}

}
