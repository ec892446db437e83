package io.mongolock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import io.mongolock.spi.LockStartupException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link SpringBootVersionCheck}.
 */
class SpringBootVersionCheckTests {

	@ParameterizedTest
	@ValueSource(strings = { "3.5.8", "2.7.18", "3.0.0-RC1" })
	void anOlderSpringBootIsRefusedInOneSentence(String version) {
		assertThatExceptionOfType(LockStartupException.class).isThrownBy(() -> SpringBootVersionCheck.check(version))
			.withMessageContaining("needs Spring Boot 4.0 or later, but this is " + version);
	}

	@ParameterizedTest
	@ValueSource(strings = { "4.0.0", "4.1.1", "10.0.0", "5.0.0-SNAPSHOT" })
	void aSupportedSpringBootIsAccepted(String version) {
		assertThatNoException().isThrownBy(() -> SpringBootVersionCheck.check(version));
	}

	@Test
	void itIsAskedAtEveryStart() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(ApplicationContextInitializer.class))
			.hasAtLeastOneElementOfType(SpringBootVersionCheck.class);
	}

}
