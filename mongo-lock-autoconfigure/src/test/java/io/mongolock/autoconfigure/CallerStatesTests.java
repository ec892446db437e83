package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.micrometer.context.ContextRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.task.TaskDecorator;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.concurrent.ThreadState;
import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the thread of a caller carries is there where a method whose result ends later
 * begins.
 */
class CallerStatesTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	private static final ThreadLocal<String> REGISTERED = new ThreadLocal<>();

	private static final Carried ALL = new Carried("r-1", "anna", Locale.ITALIAN, "/orders", "acme", "eu");

	private static final Carried WITHOUT_TENANT = new Carried("r-1", "anna", Locale.ITALIAN, "/orders", null, "eu");

	private static final Carried NOTHING = new Carried(null, null, null, null, null, null);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockStore.class, ScriptedStore::new)
		.withUserConfiguration(Application.class)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	@BeforeEach
	void register() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("by test", REGISTERED);
	}

	@AfterEach
	void forget() {
		ContextRegistry.getInstance().removeThreadLocalAccessor("by test");
		clear();
	}

	@ParameterizedTest
	@EnumSource(Way.class)
	void aMethodBeginsWithAllThatTheThreadOfItsCallerCarries(Way way) {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			carry();
			CompletableFuture<Carried> began = way.call.apply(service);
			assertThat(began).succeedsWithin(LONG).isEqualTo(ALL);
			assertThat(Carried.now()).isEqualTo(ALL);
		});
	}

	@ParameterizedTest
	@EnumSource(Way.class)
	void alsoIfItHasWaitedForItsLock(Way way) {
		this.runner.run((context) -> {
			LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("order"));
			carry();
			CompletableFuture<Carried> began = way.call.apply(context.getBean(Service.class));
			clear();
			LockTemplate locks = context.getBean(LockTemplate.class);
			if (way.locked) {
				Awaitility.await().until(() -> locks.waiting("order") == 1);
			}
			held.close();
			assertThat(began).succeedsWithin(LONG).isEqualTo(ALL);
		});
	}

	@ParameterizedTest
	@EnumSource(Way.class)
	void alsoWhereLocksAreSwitchedOff(Way way) {
		this.runner.withPropertyValues("mongo-lock.enabled=false").run((context) -> {
			carry();
			assertThat(way.call.apply(context.getBean(Service.class))).succeedsWithin(LONG).isEqualTo(ALL);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "fallback", "handler", "mono", "handlerMono" })
	void anAnswerInPlaceOfTheMethodHasItToo(String name) {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("answered"))) {
				carry();
				CompletableFuture<Carried> answered = switch (name) {
					case "fallback" -> service.orFallback();
					case "handler" -> service.orHandler();
					case "handlerMono" -> service.orHandlerLater().toFuture();
					default -> service.orFallbackLater().toFuture();
				};
				assertThat(answered).succeedsWithin(LONG).isEqualTo(ALL);
				assertThat(Carried.now()).isEqualTo(ALL);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	void withoutTheAnnotationWorkHasItToo() {
		this.runner.run((context) -> {
			carry();
			assertThat(context.getBean(LockOperations.class)
				.executeAsync(LockRequest.of("order"),
						(lock) -> CompletableFuture.completedFuture(List.of(Carried.now(), MDC.get("lock.key")))))
				.succeedsWithin(LONG)
				.isEqualTo(List.of(ALL, "order"));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "unlockedMono" })
	void aPublisherTakesItAlongToWhereverItIsSubscribed(String name) {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			carry();
			Mono<Carried> called = (name.equals("mono")) ? service.mono() : service.unlockedMono();
			assertThat(called.subscribeOn(Schedulers.parallel()).toFuture()).succeedsWithin(LONG)
				.isEqualTo((name.equals("mono")) ? ALL
						// Nobody knows what a TaskDecorator would leave on a thread of
						// others
						: WITHOUT_TENANT);
			// As retry() does, on a thread of the library
			assertThat(called.repeat(2).collectList().toFuture()).succeedsWithin(LONG)
				.isEqualTo(List.of(ALL, ALL, ALL));
		});
	}

	@Test
	void aPublisherThatWasCalledBeforeHasWhatItsSubscriberCarries() {
		this.runner.run((context) -> {
			Mono<Carried> called = context.getBean(Service.class).mono();
			carry();
			assertThat(called.toFuture()).succeedsWithin(LONG).isEqualTo(WITHOUT_TENANT);
			MDC.put("request", "r-2");
			MDC.put("other", "more");
			Mono<Carried> second = context.getBean(Service.class).mono();
			MDC.put("request", "r-3");
			assertThat(second.toFuture().get().request()).isEqualTo("r-3");
			assertThat(MDC.getCopyOfContextMap()).hasSize(2).containsEntry("request", "r-3");
		});
	}

	@Test
	void aMethodOfALoggedInCallerIsAllowedInside() {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			carry();
			assertThat(service.secured()).succeedsWithin(LONG).isEqualTo("allowed");
			assertThat(service.securedLater().block(LONG)).isEqualTo("allowed");
			SecurityContextHolder.clearContext();
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> service.secured().join());
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "unlocked", "reentrant" })
	void workThatCallsForAnotherTenantCallsForThat(String name) {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			carry();
			Mono<String> called = (name.equals("unlocked")) ? service.unlockedForAnother() : service.heldForAnother();
			assertThat(called.toFuture()).succeedsWithin(LONG).isEqualTo("another");
			assertThat(Carried.now()).isEqualTo(ALL);
		});
	}

	@Test
	void anAnswerHasWhatItsCallerCarriedAlsoIfItIsSubscribedElsewhere() {
		this.runner.run((context) -> {
			try (LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("answered"))) {
				carry();
				Mono<Carried> called = context.getBean(Service.class).orFallbackLater();
				assertThat(called.subscribeOn(Schedulers.parallel()).toFuture()).succeedsWithin(LONG).isEqualTo(ALL);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void nothingIsLeftForTheNext(boolean carrying) {
		this.runner.run((context) -> {
			Service service = context.getBean(Service.class);
			if (carrying) {
				carry();
			}
			assertThat(service.leaving()).succeedsWithin(LONG);
			clear();
			for (int i = 0; i < 10; i++) {
				assertThat(service.stage().toCompletableFuture()).succeedsWithin(LONG).isEqualTo(NOTHING);
			}
			assertThat(Carried.now()).isEqualTo(NOTHING);
		});
	}

	@Test
	void aLoginInsideIsNoLoginOfACallerThatHasNone() {
		ThreadState security = CallerStates.Security.login();
		assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
		ThreadState.Captured caller = security.capture();
		CompletableFuture.runAsync(() -> {
			try (Scope carried = caller.replace()) {
				login("left");
				assertThat(loggedIn()).as(carried.toString()).isEqualTo("left");
			}
			assertThat(loggedIn()).isNull();
		}).orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
		assertThat(loggedIn()).isNull();
	}

	@Test
	void aThreadThatHasLookedForALoginStillHasNone() {
		ThreadState security = CallerStates.Security.login();
		login("anna");
		ThreadState.Captured caller = security.capture();
		SecurityContextHolder.clearContext();
		assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
		try (Scope carried = caller.complete()) {
			assertThat(loggedIn()).as(carried.toString()).isEqualTo("anna");
		}
		assertThat(loggedIn()).isNull();
	}

	@Test
	void withoutWhatIsNotOnTheClassPathTheRestIsCarried() {
		ApplicationContextRunner plain = new ApplicationContextRunner().withBean(LockStore.class, ScriptedStore::new)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));
		carry();
		plain.withClassLoader(new FilteredClassLoader("io.micrometer.context", "org.springframework.security"))
			.run((context) -> assertThat(began(context.getBean(LockOperations.class)))
				.isEqualTo(new Carried("r-1", null, Locale.ITALIAN, "/orders", null, null)));
		plain.withClassLoader(new FilteredClassLoader("io.micrometer.context"))
			.run((context) -> assertThat(began(context.getBean(LockOperations.class)))
				.isEqualTo(new Carried("r-1", "anna", Locale.ITALIAN, "/orders", null, null)));
		plain.withClassLoader(new FilteredClassLoader("org.slf4j", "org.springframework.web"))
			.run((context) -> assertThat(began(context.getBean(LockOperations.class)))
				.isEqualTo(new Carried(null, "anna", Locale.ITALIAN, null, null, "eu")));
	}

	private static Carried began(LockOperations locks) {
		return locks.executeAsync(LockRequest.of("order"), (lock) -> CompletableFuture.completedFuture(Carried.now()))
			.orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
			.join();
	}

	private static void carry() {
		MDC.put("request", ALL.request());
		login(ALL.user());
		LocaleContextHolder.setLocale(ALL.locale());
		RequestContextHolder
			.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest("GET", ALL.path())));
		TENANT.set(ALL.tenant());
		REGISTERED.set(ALL.registered());
	}

	private static void login(String user) {
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(user, "", "clerk"));
	}

	private static String loggedIn() {
		Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
		return (authentication != null) ? authentication.getName() : null;
	}

	private static void clear() {
		MDC.clear();
		SecurityContextHolder.clearContext();
		LocaleContextHolder.resetLocaleContext();
		RequestContextHolder.resetRequestAttributes();
		TENANT.remove();
		REGISTERED.remove();
	}

	enum Way {

		STAGE((service) -> service.stage().toCompletableFuture(), true),

		MONO((service) -> service.mono().toFuture(), true),

		FLUX((service) -> service.flux().next().toFuture(), true),

		SEVERAL(Service::several, true),

		UNLOCKED_STAGE(Service::unlocked, false),

		UNLOCKED_MONO((service) -> service.unlockedMono().toFuture(), false);

		private final Function<Service, CompletableFuture<Carried>> call;

		private final boolean locked;

		Way(Function<Service, CompletableFuture<Carried>> call, boolean locked) {
			this.call = call;
			this.locked = locked;
		}

	}

	record Carried(String request, String user, Locale locale, String path, String tenant, String registered) {

		static Carried now() {
			var locale = LocaleContextHolder.getLocaleContext();
			return new Carried(MDC.get("request"), loggedIn(), (locale != null) ? locale.getLocale() : null,
					(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
							? attributes.getRequest().getRequestURI() : null,
					TENANT.get(), REGISTERED.get());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Application {

		@Bean
		Service service(Inner inner) {
			return new Service(inner);
		}

		@Bean
		Inner inner() {
			return new Inner();
		}

		/** As many are: what it leaves on the thread of a pool is nothing. */
		@Bean
		TaskDecorator tenantDecorator() {
			return (task) -> {
				String tenant = TENANT.get();
				return () -> {
					TENANT.set(tenant);
					try {
						task.run();
					}
					finally {
						TENANT.remove();
					}
				};
			};
		}

		@Bean
		LockUnavailableHandler handler() {
			return (call, ex) -> (call.resultType() == Mono.class) ? Mono.fromSupplier(Carried::now)
					: CompletableFuture.completedFuture(Carried.now());
		}

	}

	static class Inner {

		@DistributedLock(key = "'tenant'")
		CompletableFuture<String> tenant() {
			return CompletableFuture.completedFuture(TENANT.get());
		}

		@DistributedLock(key = "'order'")
		Mono<String> forAnother(Inner self) {
			String before = TENANT.get();
			TENANT.set("another");
			try {
				return Mono.fromFuture(self.tenant());
			}
			finally {
				TENANT.set(before);
			}
		}

		@PreAuthorize("hasAuthority('clerk')")
		String guarded() {
			return "allowed";
		}

	}

	static class Service {

		private final Inner inner;

		Service(Inner inner) {
			this.inner = inner;
		}

		@DistributedLock(key = "'order'")
		CompletionStage<Carried> stage() {
			return CompletableFuture.completedFuture(Carried.now());
		}

		@DistributedLock(key = "'order'")
		Mono<Carried> mono() {
			return Mono.just(Carried.now());
		}

		@DistributedLock(key = "'order'")
		Flux<Carried> flux() {
			return Flux.just(Carried.now(), Carried.now());
		}

		@DistributedLock(key = "'order'")
		@DistributedLock(key = "'a second'")
		CompletableFuture<Carried> several() {
			return CompletableFuture.completedFuture(Carried.now());
		}

		@DistributedLock(key = "'order'", condition = "false")
		CompletableFuture<Carried> unlocked() {
			return CompletableFuture.completedFuture(Carried.now());
		}

		@DistributedLock(key = "'order'", condition = "false")
		Mono<Carried> unlockedMono() {
			return Mono.just(Carried.now());
		}

		@DistributedLock(key = "'order'")
		Mono<String> heldForAnother() {
			return this.inner.forAnother(this.inner);
		}

		@DistributedLock(key = "'order'", condition = "false")
		Mono<String> unlockedForAnother() {
			String before = TENANT.get();
			TENANT.set("another");
			try {
				return Mono.fromFuture(this.inner.tenant());
			}
			finally {
				TENANT.set(before);
			}
		}

		@DistributedLock(key = "'answered'", waitTimeout = "0s", fallback = "answer")
		CompletableFuture<Carried> orFallback() {
			return new CompletableFuture<>();
		}

		CompletableFuture<Carried> answer() {
			return CompletableFuture.completedFuture(Carried.now());
		}

		@DistributedLock(key = "'answered'", waitTimeout = "0s", unavailableHandler = "handler")
		CompletableFuture<Carried> orHandler() {
			return new CompletableFuture<>();
		}

		@DistributedLock(key = "'answered'", waitTimeout = "0s", fallback = "answerLater")
		Mono<Carried> orFallbackLater() {
			return Mono.never();
		}

		Mono<Carried> answerLater() {
			return Mono.fromSupplier(Carried::now);
		}

		@DistributedLock(key = "'answered'", waitTimeout = "0s", unavailableHandler = "handler")
		Mono<Carried> orHandlerLater() {
			return Mono.never();
		}

		@DistributedLock(key = "'order'")
		CompletableFuture<String> secured() {
			return CompletableFuture.completedFuture(this.inner.guarded());
		}

		@DistributedLock(key = "'order'")
		Mono<String> securedLater() {
			return Mono.just(this.inner.guarded());
		}

		@DistributedLock(key = "'order'")
		CompletableFuture<String> leaving() {
			MDC.put("request", "left");
			TENANT.set("left");
			REGISTERED.set("left");
			LocaleContextHolder.setLocale(Locale.JAPANESE);
			SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("left", ""));
			return CompletableFuture.completedFuture("done");
		}

	}

}
