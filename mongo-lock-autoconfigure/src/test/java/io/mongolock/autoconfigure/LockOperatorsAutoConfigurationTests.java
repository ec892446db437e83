package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.actuate.LockInfoContributor;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.client.ScriptedStore;
import io.mongolock.health.LockHealthIndicator;
import io.mongolock.health.LockTrouble;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.RenewalAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockEndpointAutoConfiguration}, {@link LockHealthAutoConfiguration}
 * and {@link LockInfoAutoConfiguration}.
 */
public class LockOperatorsAutoConfigurationTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final WebApplicationContextRunner empty = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class, LockEndpointAutoConfiguration.class,
				LockHealthAutoConfiguration.class, LockInfoAutoConfiguration.class, EndpointAutoConfiguration.class,
				WebEndpointAutoConfiguration.class))
		.withPropertyValues("mongo-lock.shutdown-timeout=1s");

	private final WebApplicationContextRunner context = this.empty.withBean(ScriptedStore.class);

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
	void whenALockIsReleasedByForceThenItsHolderHereLosesItAtOnce() {
		this.context.withPropertyValues("management.endpoints.web.exposure.include=mongolocks").run((running) -> {
			LockHandle handle = running.getBean(LockOperations.class).acquire(LockRequest.of("k"));
			running.getBean(LocksEndpoint.class).release(SecurityContext.NONE, new String[] { "k" }, null, null);
			assertThat(handle.isHeld()).isFalse();
		});
	}

	@Test
	void theHealthIsThereUnlessSwitchedOff() {
		this.context.run((context) -> assertThat(context).hasSingleBean(LockHealthIndicator.class));
		this.context.withPropertyValues("management.health.mongolock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockHealthIndicator.class)
				.doesNotHaveBean(LockTrouble.class));
	}

	@Test
	void theClientsTroubleReachesTheHealth() {
		this.empty.withBean(FailingStore.class)
			.withPropertyValues("mongo-lock.ttl=1m", "mongo-lock.renew-interval=20ms")
			.run((context) -> {
				FailingStore store = context.getBean(FailingStore.class);
				LockOperations locks = context.getBean(LockOperations.class);
				LockHealthIndicator health = context.getBean(LockHealthIndicator.class);
				LockHandle handle = locks.acquire(LockRequest.of("order:1"));
				assertThat(health.health().getStatus()).isEqualTo(Status.UP);
				store.failing = true;
				await().atMost(PATIENCE)
					.untilAsserted(() -> assertThat(health.health().getDetails()).containsEntry("overdueLocks",
							List.of("order:1")));
				assertThat(health.health().getStatus()).isEqualTo(LockHealthIndicator.DEGRADED);
				store.failing = false;
				await().atMost(PATIENCE).until(() -> health.health().getStatus().equals(Status.UP));
				handle.close();
			});
	}

	@Test
	void aReleaseThatFailsIsFollowedByALook() {
		this.empty.withBean(FailingStore.class).run((running) -> {
			FailingStore store = running.getBean(FailingStore.class);
			LockHealthIndicator health = running.getBean(LockHealthIndicator.class);
			LockHandle handle = running.getBean(LockOperations.class).acquire(LockRequest.of("order:1"));
			store.failing = true;
			handle.close();
			await().atMost(PATIENCE).until(() -> {
				running.getBean(LockOperations.class).acquire(LockRequest.of("next:" + UUID.randomUUID()));
				health.health();
				return store.probes.get() > 0;
			});
		});
	}

	@Test
	void theHealthProbesItsStoreAlsoAfterAGrantOfAnotherStore() {
		this.empty.withBean(FailingStore.class).run((running) -> {
			running.getBean(LockEnvironment.class)
				.open(new ScriptedStore())
				.locks()
				.acquire(LockRequest.of("elsewhere"));
			running.getBean(LockHealthIndicator.class).health();
			assertThat(running.getBean(FailingStore.class).probes).hasValue(1);
		});
	}

	@Test
	void theInfoShowsTheSettingsUnlessSwitchedOff() {
		this.context.withPropertyValues("mongo-lock.ttl=40s", "mongo-lock.locks.order.wait-timeout=1s")
			.run((context) -> {
				Info.Builder info = new Info.Builder();
				context.getBean(LockInfoContributor.class).contribute(info);
				assertThat(info.build().getDetails().get("mongoLock")).asString()
					.contains("ttl=40s", "margin=8s", "autoRenew=true", "linger=0ms", "settingsOfTheirOwn=[order]");
			});
		this.context.withPropertyValues("management.info.mongolock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockInfoContributor.class));
	}

	@Test
	void aStartMakesNoConfigurationsOfThemNorTheInfoThatIsNotAskedFor() {
		this.context.withPropertyValues("management.endpoints.web.exposure.include=mongolocks")
			.run((context) -> assertThat(context.getBeanFactory().getSingletonNames())
				.noneMatch((name) -> name.startsWith("io.mongolock.autoconfigure.Lock"))
				.contains("mongoLockTrouble", "mongoLockWriteProof")
				.doesNotContain("mongoLockInfoContributor"));
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

	/**
	 * Grants, and on demand neither renews nor releases what is not a look of the health.
	 */
	public static class FailingStore extends ScriptedStore {

		public final AtomicInteger probes = new AtomicInteger();

		private volatile boolean failing;

		@Override
		public ClaimAnswer acquire(Claim claim, Duration timeout) {
			if (claim.id().key().equals("mongo-lock-health")) {
				this.probes.incrementAndGet();
			}
			return super.acquire(claim, timeout);
		}

		@Override
		public boolean renew(LeaseId lease, Duration timeout) {
			fail(lease.key());
			return super.renew(lease, timeout);
		}

		@Override
		public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
			fail(leases.get(0).key());
			return super.renewAll(leases, notes, timeout);
		}

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			fail(lease.key());
			return super.release(lease, timeout);
		}

		private void fail(String key) {
			if (this.failing && !key.equals("mongo-lock-health")) {
				throw new LockStoreException(key, Outcome.REFUSED, "says the test", null);
			}
		}

	}

}
