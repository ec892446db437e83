package io.mongolock.faults.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.Async;

import io.mongolock.LockContext;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What cannot run under a lock stops the start of the application and says why; all else
 * runs under its lock.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnlockableMethodTests {

	static final Arguments[] refused = { Arguments.of(PrivateMethod.class, "is private"),
			Arguments.of(FinalMethod.class, "is final"), Arguments.of(AsyncMethod.class, "is also @Async"),
			Arguments.of(LaterMethod.class, "returns a CompletableFuture: the lock would end before the work does"),
			Arguments.of(PublisherMethod.class, "returns a Publisher: the lock would end before the work does"),
			Arguments.of(SkippedPrimitive.class, "returns int, and onUnavailable = SKIP") };

	private static TestServer server;

	@BeforeAll
	static void start() {
		server = TestServer.embedded();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@ParameterizedTest
	@FieldSource("refused")
	@ShowsRow(value = 35, level = Level.B)
	void refusedAtTheStart(Class<?> application, String problem, RowFigures figures, CapturedOutput output) {
		figures.server(server.label()).add("refused with", problem);
		assertThatException().isThrownBy(() -> server.run(application).close());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("@DistributedLock method " + application.getName() + ".run(")
			.contains(problem)
			.containsPattern("Action:\\s+\\S+");
	}

	@Test
	@ShowsRow(value = 35, level = Level.B)
	void whatAnInterfaceProxyDoesNotHaveIsRefused(RowFigures figures, CapturedOutput output) {
		figures.server(server.label());
		assertThatException()
			.isThrownBy(() -> server.run(NotInInterface.class, "spring.aop.proxy-target-class=false").close());
		assertThat(output).contains("APPLICATION FAILED TO START").contains("is in none of its interfaces");
	}

	@ParameterizedTest
	@ValueSource(classes = { ByInterface.class, InheritedMethod.class })
	@ShowsRow(value = 35, level = Level.B)
	void runsUnderItsLock(Class<?> application, RowFigures figures) {
		figures.server(server.label());
		boolean interfaces = application == ByInterface.class;
		try (ConfigurableApplicationContext context = server.run(application,
				"spring.aop.proxy-target-class=" + !interfaces)) {
			assertThat(context.getBean(Locked.class).isLocked()).isTrue();
		}
	}

	@Test
	@ShowsRow(value = 35, level = Level.B)
	void aCallWithinTheObjectRunsWithoutTheLockAsDocumented(RowFigures figures) {
		figures.server(server.label());
		try (ConfigurableApplicationContext context = server.run(GuardedApplication.class)) {
			GuardedService service = context.getBean(GuardedService.class);
			assertThat(service.lockedWithin()).isTrue();
			assertThat(service.callsItself()).isFalse();
		}
	}

	interface Locked {

		boolean isLocked();

		default boolean locked() {
			return LockContext.find((handle) -> handle.key().equals("a")).isPresent();
		}

	}

	@Import(GuardedApplication.class)
	static class PrivateMethod {

		@DistributedLock("a")
		private void run() {
		}

	}

	@Import(GuardedApplication.class)
	static class FinalMethod {

		@DistributedLock("a")
		public final void run() {
		}

	}

	@Import(GuardedApplication.class)
	static class AsyncMethod {

		@Async
		@DistributedLock("a")
		public void run() {
		}

	}

	@Import(GuardedApplication.class)
	static class LaterMethod {

		@DistributedLock("a")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("done");
		}

	}

	@Import(GuardedApplication.class)
	static class PublisherMethod {

		@DistributedLock("a")
		public Flow.Publisher<String> run() {
			return (subscriber) -> subscriber.onComplete();
		}

	}

	@Import(GuardedApplication.class)
	static class SkippedPrimitive {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		public int run() {
			return 1;
		}

	}

	@Import(GuardedApplication.class)
	static class NotInInterface implements Runnable {

		@Override
		public void run() {
		}

		@DistributedLock("a")
		public void other() {
		}

	}

	@Import(GuardedApplication.class)
	static class ByInterface implements Locked {

		@Override
		@DistributedLock("a")
		public final boolean isLocked() {
			return locked();
		}

	}

	@DistributedLock("a")
	static class Base {

		public boolean isLocked() {
			return LockContext.find((handle) -> handle.key().equals("a")).isPresent();
		}

	}

	@Import(GuardedApplication.class)
	static class InheritedMethod extends Base implements Locked {

	}

}
