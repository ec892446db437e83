package io.mongolock.jobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

import io.mongolock.leader.LeaderOnly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link JobMethods}.
 */
@Isolated
@ExtendWith(OutputCaptureExtension.class)
class JobMethodsTests {

	private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

	private final JobRegistry declared = new JobRegistry();

	private final JobMethods methods = new JobMethods(new MockEnvironment().withProperty("rate", "1s"), this.declared,
			this.beans.getBeanProvider(MongoLockJobsProperties.class), this.beans);

	@ParameterizedTest
	@CsvSource({ "Europe/Berlin, ${none:}, true", "Europe/Berlin, Europe/Berlin, false", "UTC, ${none:}, false" })
	@ResourceLock(Resources.TIME_ZONE)
	void whenTheZoneOfTheJvmSkipsTheHourOfAJobThenTheStartWarns(String jvm, String zone, boolean warns,
			CapturedOutput output) {
		TimeZone before = TimeZone.getDefault();
		TimeZone.setDefault(TimeZone.getTimeZone(jvm));
		try {
			MockEnvironment environment = new MockEnvironment().withProperty("zone", zone);
			new JobMethods(environment, this.declared, this.beans.getBeanProvider(MongoLockJobsProperties.class),
					this.beans)
				.postProcessAfterInitialization(new Object() {

					@ScheduledJob(name = "job", cron = "0 30 2 * * *", zone = "${zone}")
					void work() {
					}

				}, "bean");
		}
		finally {
			TimeZone.setDefault(before);
		}
		assertThat(output.getOut().contains("skips or repeats the hour of cron = \"0 30 2 * * *\". Set zone"))
			.isEqualTo(warns);
	}

	@ParameterizedTest
	@MethodSource
	void methodsThatCannotRunAsDeclaredAreRefusedWithTheWayOut(Object bean, String problem) {
		assertThatIllegalStateException().isThrownBy(() -> this.methods.postProcessAfterInitialization(bean, "bean"))
			.withMessageContaining("@ScheduledJob on ")
			.withMessageContaining(".work(")
			.withMessageContaining(problem);
	}

	static Stream<Arguments> methodsThatCannotRunAsDeclaredAreRefusedWithTheWayOut() {
		return Stream.of(Arguments.of(new Object() {

			@ScheduledJob(name = " ", fixedRate = "1s")
			void work() {
			}

		}, "must not be blank"), Arguments.of(new Object() {

			@ScheduledJob(name = "job")
			void work() {
			}

		}, "Set exactly one of the attributes 'cron', 'fixedRate' and 'fixedDelay'"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", cron = "@daily", fixedDelay = "1s")
			void work() {
			}

		}, "Set exactly one of the attributes 'cron', 'fixedRate' and 'fixedDelay'"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", cron = "0 3 * * *")
			void work() {
			}

		}, "cron = \"0 3 * * *\""), Arguments.of(new Object() {

			@ScheduledJob(name = "job", cron = "@daily", zone = "Europe/Bärlin")
			void work() {
			}

		}, "zone = \"Europe/Bärlin\""), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedRate = "1s", zone = "Europe/Berlin")
			void work() {
			}

		}, "only 'cron' uses a zone"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", cron = "0 0 0 30 2 *")
			void work() {
			}

		}, "is never due. To switch the job off, write cron = \"-\""), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedRate = "soon")
			void work() {
			}

		}, "fixedRate = \"soon\" must be a duration"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "99ms")
			void work() {
			}

		}, "fixedDelay = \"99ms\" must be a duration of at least 100ms"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "1s", maxAttempts = 0)
			void work() {
			}

		}, "maxAttempts is 0"), Arguments.of(new Object() {

			@LeaderOnly("reports")
			@ScheduledJob(name = "job", fixedDelay = "1s")
			void work() {
			}

		}, "this method is also @LeaderOnly"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "1s", retries = -1)
			void work() {
			}

		}, "retries is -1"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "1s", retryAfter = "now")
			void work() {
			}

		}, "retryAfter = \"now\" must be a duration"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "1s")
			int work() {
				return 1;
			}

		}, "Return void, a CompletionStage"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "1s")
			Future<String> work() {
				return new CompletableFuture<>();
			}

		}, "Return void, a CompletionStage"), Arguments.of(new Object() {

			// As without what calls suspending functions, which these tests lack
			@ScheduledJob(name = "job", fixedDelay = "1s")
			@Nullable Object work(Continuation<? super String> end) {
				return null;
			}

		}, "needs kotlinx-coroutines-reactor"), Arguments.of(new Object() {

			@ScheduledJob(name = "job", fixedDelay = "1s")
			void work(String text) {
			}

		}, "Declare no parameter, or only a JobRun"), Arguments.of(new Object() {

			@Scheduled(fixedDelay = 1)
			@ScheduledJob(name = "job", fixedDelay = "1s")
			void work() {
			}

		}, "Move the schedule to @ScheduledJob"), Arguments.of(new Object() {

			@Async
			@ScheduledJob(name = "job", fixedDelay = "1s")
			void work() {
			}

		}, "Remove @Async"));
	}

	@Test
	void whenTheProxyOfABeanCannotOverrideItsJobThenTheJobIsRefusedButNotWithoutAProxy() {
		Object proxied = new ProxyFactory(new Sealed()).getProxy();
		assertThatIllegalStateException().isThrownBy(() -> this.methods.postProcessAfterInitialization(proxied, "bean"))
			.withMessageContaining("@ScheduledJob on ")
			.withMessageContaining(".work(")
			.withMessageContaining("this method cannot be overridden by a proxy, because the method or its class is "
					+ "final. Remove the modifier final");
		assertThat(this.declared.all()).isEmpty();
		this.methods.postProcessAfterInitialization(new Sealed(), "bean");
		assertThat(this.declared.all()).extracting(Job::name).containsExactly("sealed");
	}

	@Test
	void aPlaceholderThatNobodyFillsIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.methods.postProcessAfterInitialization(new Object() {

			@ScheduledJob(name = "job", cron = "${cron}")
			void work() {
			}

		}, "bean")).withMessageContaining("cron");
	}

	@Test
	void theirCollectionIsLookedAtOnlyWhereThereAreAny() {
		JobExtension on = extension(true);
		assertThat(on.collections()).isEmpty();
		this.methods.postProcessAfterInitialization(new Object() {

			@ScheduledJob(name = "job", fixedRate = "1s")
			void work() {
			}

		}, "bean");
		assertThat(on.collections()).containsExactly("lockJobRuns");
		assertThat(extension(false).collections()).isEmpty();
	}

	private JobExtension extension(boolean enabled) {
		return new JobExtension(properties(enabled), this.declared);
	}

	private static MongoLockJobsProperties properties(boolean enabled) {
		return new MongoLockJobsProperties(new MongoLockJobsProperties.Jobs(enabled, true, "lockJobRuns",
				Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofDays(30), 100));
	}

	@Test
	void whenTheBeanOfAJobWasNotCreatedThenTheStartWarnsAndItsCreationSchedulesTheJob(CapturedOutput output) {
		List<Class<?>> created = new ArrayList<>();
		try (GenericApplicationContext context = context(true)) {
			context.registerBean("lazy", Both.class, () -> new Both(created), (bean) -> bean.setLazyInit(true));
			context.registerBean("prototype", Late.class, Late::new, (bean) -> bean.setScope("prototype"));
			context.refresh();
			assertThat(output.getOut().lines().filter((line) -> line.contains(" WARN "))).satisfiesExactlyInAnyOrder(
					(line) -> assertThat(line).endsWith("Bean 'lazy' is lazy and has not been created, so its jobs "
							+ "[one, two] are not scheduled until the bean is created. Remove @Lazy from the bean or "
							+ "its configuration class"),
					(line) -> assertThat(line).endsWith("Bean 'prototype' has the scope 'prototype' and has not been "
							+ "created, so its jobs [late] are not scheduled until the bean is created. Make the bean "
							+ "a singleton"));
			assertThat(created).isEmpty();
			assertThat(this.declared.all()).isEmpty();
			context.getBean("lazy");
			context.getBean("prototype");
			assertThat(this.declared.all()).extracting(Job::name).containsExactlyInAnyOrder("one", "two", "late");
		}
	}

	@Test
	void whenABeanIsCreatedDuringTheStartOrNoJobIsToRunThenTheStartDoesNotWarn(CapturedOutput output) {
		for (boolean enabled : List.of(true, false)) {
			try (GenericApplicationContext context = context(enabled)) {
				context.registerBean("late", Late.class, Late::new, (bean) -> bean.setScope("prototype"));
				context.registerBean("other", Object.class, Object::new, (bean) -> bean.setLazyInit(true));
				context.registerBean("off", Off.class, Off::new, (bean) -> bean.setLazyInit(true));
				if (enabled) {
					context.addApplicationListener(
							(ApplicationListener<ContextRefreshedEvent>) (event) -> context.getBean("late"));
				}
				context.refresh();
			}
		}
		assertThat(output).doesNotContain(" WARN ");
	}

	private GenericApplicationContext context(boolean enabled) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(MongoLockJobsProperties.class, () -> properties(enabled));
		context.registerBean(JobMethods.class, () -> new JobMethods(context.getEnvironment(), this.declared,
				context.getBeanProvider(MongoLockJobsProperties.class), context.getBeanFactory()));
		return context;
	}

	@Test
	void aSecondJobOfOneNameIsRefused() {
		this.methods.postProcessAfterInitialization(new Late(), "late");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.methods.postProcessAfterInitialization(new Late(), "later"))
			.withMessageContaining("Two methods have @ScheduledJob(name = \"late\")");
	}

	@Test
	void switchedOffSchedulesAndFilledPlaceholdersAreNotRefused() {
		assertThatNoException().isThrownBy(() -> this.methods.postProcessAfterInitialization(new Object() {

			@ScheduledJob(name = "job", cron = "-")
			void work() {
			}

			@ScheduledJob(name = "other", fixedRate = "${rate}")
			private void other(JobRun run) {
			}

		}, "bean"));
	}

	static class Both {

		Both(List<Class<?>> created) {
			created.add(Both.class);
		}

		@ScheduledJob(name = "two", fixedRate = "1s")
		void two() {
		}

		@ScheduledJob(name = "one", fixedRate = "${rate:1s}")
		void one() {
		}

	}

	static class Off {

		@ScheduledJob(name = "off", cron = "${cron:-}")
		void work() {
		}

	}

	static class Sealed {

		@ScheduledJob(name = "sealed", fixedRate = "1s")
		final void work() {
		}

	}

	static class Late {

		@ScheduledJob(name = "late", fixedRate = "1s")
		void work() {
		}

	}

}
