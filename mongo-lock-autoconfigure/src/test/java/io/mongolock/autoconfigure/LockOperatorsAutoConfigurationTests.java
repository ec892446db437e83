package io.mongolock.autoconfigure;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import io.mongolock.actuate.LockInfoContributor;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.health.LockHealthIndicator;
import io.mongolock.health.LockTrouble;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockEndpointAutoConfiguration}, {@link LockHealthAutoConfiguration}
 * and {@link LockInfoAutoConfiguration}.
 */
class LockOperatorsAutoConfigurationTests {

	private final WebApplicationContextRunner context = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class, LockEndpointAutoConfiguration.class,
				LockHealthAutoConfiguration.class, LockInfoAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class))
		.withBean(StubLockStore.class);

	@Test
	void theEndpointIsThereOnceItIsExposed() {
		this.context.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
		this.context.withPropertyValues("management.endpoints.web.exposure.include=mongolocks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
	}

	@Test
	void theReleaseByForceHasToBeAllowed() {
		WebApplicationContextRunner exposed = this.context
			.withPropertyValues("management.endpoints.web.exposure.include=mongolocks");
		exposed.run((context) -> assertThat(methods(context)).contains("GET").doesNotContain("DELETE"));
		exposed.withPropertyValues("management.endpoint.mongolocks.access=UNRESTRICTED")
			.run((context) -> assertThat(methods(context)).contains("GET", "DELETE"));
	}

	@Test
	void theHealthIsThereUnlessSwitchedOff() {
		this.context.run((context) -> assertThat(context).hasSingleBean(LockHealthIndicator.class));
		this.context.withPropertyValues("management.health.mongolock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockHealthIndicator.class)
				.doesNotHaveBean(LockTrouble.class));
	}

	@Test
	void theInfoTellsTheSettingsUnlessSwitchedOff() {
		this.context.withPropertyValues("mongo-lock.ttl=40s", "mongo-lock.locks.order.wait-timeout=1s")
			.run((context) -> {
				Info.Builder info = new Info.Builder();
				context.getBean(LockInfoContributor.class).contribute(info);
				assertThat(info.build().getDetails().get("mongoLock")).asString()
					.contains("ttl=40s", "margin=8s", "autoRenew=true", "settingsOfTheirOwn=[order]");
			});
		this.context.withPropertyValues("management.info.mongolock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockInfoContributor.class));
	}

	@Test
	void bothAreAbsentWithoutTheirLibraries() {
		this.context
			.withClassLoader(new FilteredClassLoader(Endpoint.class, HealthIndicator.class, InfoContributor.class))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void bothAreAbsentWhereNothingIsLocked() {
		this.context.withPropertyValues("mongo-lock.enabled=false", "management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static List<String> methods(AssertableWebApplicationContext context) {
		return context.getBean(WebEndpointsSupplier.class)
			.getEndpoints()
			.stream()
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.map(WebOperation::getRequestPredicate)
			.map((predicate) -> predicate.getHttpMethod().name())
			.toList();
	}

}
