package io.mongolock.everyday;

import java.time.Duration;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.mongolock.annotation.DistributedLock;

/**
 * A reactive application: what others bind to threads is in the Context of Reactor.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableReactiveMethodSecurity
class ReactiveShop {

	@Bean
	SecurityWebFilterChain rules(ServerHttpSecurity http) {
		return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	MapReactiveUserDetailsService users() {
		return new MapReactiveUserDetailsService(Visitor.users());
	}

	@Bean
	WebFilter tenants() {
		return (exchange, chain) -> chain.filter(exchange)
			.contextWrite((context) -> context.put("tenant", exchange.getRequest().getHeaders().getFirst("X-User")));
	}

	@Bean
	Orders orders(Ledger ledger, ObservationRegistry registry, Vault vault) {
		return new Orders(ledger, registry, vault);
	}

	@Bean
	Vault vault() {
		return new Vault();
	}

	@RestController
	static class Doors {

		private final Orders orders;

		Doors(Orders orders) {
			this.orders = orders;
		}

		@GetMapping("/reactive-mono/{user}")
		Mono<String> mono(@PathVariable("user") String user) {
			return this.orders.mono(user).then(this.orders.mono(user));
		}

		@GetMapping("/reactive-flux/{user}")
		Mono<String> flux(@PathVariable("user") String user) {
			return this.orders.flux(user).last();
		}

	}

	static class Orders {

		private static final Duration SHORT = Duration.ofMillis(1);

		private final Ledger ledger;

		private final ObservationRegistry registry;

		private final Vault vault;

		Orders(Ledger ledger, ObservationRegistry registry, Vault vault) {
			this.ledger = ledger;
			this.registry = registry;
			this.vault = vault;
		}

		@DistributedLock(Ledger.LOCK)
		Mono<String> mono(String user) {
			return work("reactive-mono", user);
		}

		@DistributedLock(Ledger.LOCK)
		Flux<String> flux(String user) {
			return work("reactive-flux", user).flatMapMany((opened) -> Flux.just("first", opened));
		}

		private Mono<String> work(String way, String user) {
			return Mono.deferContextual((context) -> {
				this.ledger.begin(way, user, context, this.registry);
				return this.vault.open(user).delayElement(SHORT).doOnTerminate(this.ledger::end);
			});
		}

	}

	static class Vault {

		@PreAuthorize("authentication.name == #user")
		Mono<String> open(String user) {
			return Mono.just(user);
		}

	}

}
