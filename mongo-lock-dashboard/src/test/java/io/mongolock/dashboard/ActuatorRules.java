package io.mongolock.dashboard;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * The rules of docs/dashboard.md on users of the actuator.
 */
@TestConfiguration
class ActuatorRules {

	@Bean
	SecurityFilterChain actuator(HttpSecurity http) {
		return http.securityMatcher(EndpointRequest.toAnyEndpoint())
			.authorizeHttpRequests((requests) -> requests.requestMatchers(EndpointRequest.to("health", "prometheus"))
				.permitAll()
				.anyRequest()
				.hasAnyRole("OPERATOR", "AUDITOR"))
			.httpBasic(Customizer.withDefaults())
			.csrf(CsrfConfigurer::spa)
			.build();
	}

	@Bean
	InMemoryUserDetailsManager users() {
		return new InMemoryUserDetailsManager(user("operator"), user("auditor"), user("customer"));
	}

	private static UserDetails user(String name) {
		return User.withUsername(name).password("{noop}secret").roles(name.toUpperCase()).build();
	}

}
