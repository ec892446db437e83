package io.mongolock.everyday;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.bson.Document;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.server.SuiteServer;

/**
 * A servlet application with what many have around a lock.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableMethodSecurity
@EnableAsync
@EnableScheduling
@EnableResilientMethods
@EnableTransactionManagement
class ServletShop {

	@Bean
	SecurityFilterChain rules(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
			.httpBasic(Customizer.withDefaults())
			.build();
	}

	@Bean
	UserDetailsService users() {
		return new InMemoryUserDetailsManager(Visitor.users());
	}

	/** As many have it, behind that of Spring Security. */
	@Bean
	OncePerRequestFilter tenants() {
		return new OncePerRequestFilter() {

			@Override
			protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
					throws ServletException, IOException {
				MDC.put("user", request.getRemoteUser());
				Ledger.TENANT.set(request.getRemoteUser());
				try {
					chain.doFilter(request, response);
				}
				finally {
					MDC.clear();
					Ledger.TENANT.remove();
				}
			}

		};
	}

	/** For the executor of {@code @Async}, to begin with. */
	@Bean
	TaskDecorator decorator() {
		return (task) -> {
			String tenant = Ledger.TENANT.get();
			String user = MDC.get("user");
			return () -> {
				Ledger.TENANT.set(tenant);
				MDC.put("user", user);
				try {
					task.run();
				}
				finally {
					MDC.clear();
					Ledger.TENANT.remove();
				}
			};
		};
	}

	@Bean
	PlatformTransactionManager transactions(MongoDatabaseFactory factory) {
		return (SuiteServer.get().uri().isPresent()) ? new MongoTransactionManager(factory) : new NoTransactions();
	}

	@Bean
	Orders orders(Ledger ledger, ObservationRegistry registry, Vault vault, MongoTemplate template) {
		return new Orders(ledger, registry, vault, template);
	}

	@Bean
	Vault vault() {
		return new Vault();
	}

	@Bean
	Jobs jobs(Ledger ledger, ObservationRegistry registry) {
		return new Jobs(ledger, registry);
	}

	@RestController
	static class Doors {

		private final Orders orders;

		Doors(Orders orders) {
			this.orders = orders;
		}

		@GetMapping("/sync/{user}")
		String sync(@PathVariable("user") String user) {
			return this.orders.sync(user);
		}

		@GetMapping("/stage/{user}")
		CompletableFuture<String> stage(@PathVariable("user") String user) {
			return this.orders.stage(user);
		}

		@GetMapping("/several/{user}")
		CompletableFuture<String> several(@PathVariable("user") String user) {
			return this.orders.several(user);
		}

		@GetMapping("/mono/{user}")
		Mono<String> mono(@PathVariable("user") String user) {
			return this.orders.mono(user).then(this.orders.mono(user));
		}

		@GetMapping("/flux/{user}")
		Mono<String> flux(@PathVariable("user") String user) {
			return this.orders.flux(user).last();
		}

		@GetMapping("/fallback/{user}")
		CompletableFuture<String> fallback(@PathVariable("user") String user) {
			return this.orders.fallback(user);
		}

		@GetMapping("/async/{user}")
		CompletableFuture<String> async(@PathVariable("user") String user) {
			return this.orders.async(user);
		}

		@GetMapping("/retry/{user}")
		String retry(@PathVariable("user") String user) {
			return this.orders.retry(user, new AtomicInteger());
		}

		@GetMapping("/transaction/{user}")
		String transaction(@PathVariable("user") String user) {
			return this.orders.transaction(user);
		}

	}

	static class Orders {

		private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

		private final Ledger ledger;

		private final ObservationRegistry registry;

		private final Vault vault;

		private final MongoTemplate template;

		Orders(Ledger ledger, ObservationRegistry registry, Vault vault, MongoTemplate template) {
			this.ledger = ledger;
			this.registry = registry;
			this.vault = vault;
			this.template = template;
		}

		@DistributedLock(Ledger.LOCK)
		String sync(String user) {
			return now("sync", user);
		}

		@DistributedLock(Ledger.LOCK)
		CompletableFuture<String> stage(String user) {
			return later("stage", user);
		}

		@DistributedLock(Ledger.LOCK)
		@DistributedLock(key = "#user")
		CompletableFuture<String> several(String user) {
			return later("several", user);
		}

		@DistributedLock(Ledger.LOCK)
		Mono<String> mono(String user) {
			return Mono.fromFuture(later("mono", user));
		}

		@DistributedLock(Ledger.LOCK)
		Flux<String> flux(String user) {
			return Flux.just(user).concatWith(Mono.fromFuture(later("flux", user)));
		}

		@DistributedLock(name = Ledger.LOCK, waitTimeout = "0s", fallback = "instead")
		CompletableFuture<String> fallback(String user) {
			return later("fallback", user);
		}

		CompletableFuture<String> instead(String user) {
			this.ledger.carried("instead", user);
			return CompletableFuture.completedFuture(this.vault.open(user));
		}

		@Async
		@DistributedLock(Ledger.LOCK)
		CompletableFuture<String> async(String user) {
			return later("async", user);
		}

		@Retryable(delay = 1)
		@DistributedLock(Ledger.LOCK)
		String retry(String user, AtomicInteger tries) {
			now("retry", user);
			if (tries.incrementAndGet() < 3) {
				throw new IllegalStateException("by test");
			}
			return user;
		}

		@Transactional
		@DistributedLock(Ledger.LOCK)
		String transaction(String user) {
			if (!TransactionSynchronizationManager.isActualTransactionActive()) {
				throw new IllegalStateException("No transaction");
			}
			this.template.insert(new Document("user", user), "orders");
			return now("transaction", user);
		}

		private String now(String way, String user) {
			this.ledger.begin(way, user, this.registry);
			try {
				Thread.yield();
				return this.vault.open(user);
			}
			finally {
				this.ledger.end();
			}
		}

		private CompletableFuture<String> later(String way, String user) {
			this.ledger.begin(way, user, this.registry);
			String opened = this.vault.open(user);
			return CompletableFuture.supplyAsync(() -> {
				this.ledger.end();
				return opened;
			}, LATER);
		}

	}

	static class Vault {

		@PreAuthorize("authentication.name == #user")
		String open(String user) {
			return user;
		}

	}

	static class Jobs {

		private final Ledger ledger;

		private final ObservationRegistry registry;

		Jobs(Ledger ledger, ObservationRegistry registry) {
			this.ledger = ledger;
			this.registry = registry;
		}

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = Ledger.LOCK, onUnavailable = OnUnavailable.SKIP, waitTimeout = "1s")
		void settle() {
			this.ledger.begin("scheduled", null, this.registry);
			this.ledger.end();
		}

	}

	/** Where there is no server that has any. */
	private static final class NoTransactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
