package io.mongolock.concurrent;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.event.LockInstrumentation.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link CallerContext}.
 */
class CallerContextTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LockRequest REQUEST = LockRequest.of("order");

	private final ThreadLocal<String> value = new ThreadLocal<>();

	private final ThreadState state = new ThreadValue<>(this.value::get, this.value::set, (own, added) -> own + added);

	private LockTemplate locks = template(UnaryOperator.identity());

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
	}

	@Test
	void workBeginsElsewhereWithWhatItsCallerCarries() {
		this.value.set("mine");
		assertThat(begin()).isEqualTo("mine");
		assertThat(this.value.get()).isEqualTo("mine");
	}

	@Test
	void workSeesNothingThatWorkBeforeItLeftOnItsThread() {
		for (int i = 0; i < 10; i++) {
			assertThat(begin()).isNull();
		}
	}

	@Test
	void workUnderALockOfTheCallersRunsOnItsThreadAndLeavesThatAsItIs() {
		this.locks = template((task) -> () -> {
			task.run();
			this.value.remove();
		});
		this.value.set("mine");
		String seen = this.locks.execute(REQUEST,
				(lock) -> this.locks
					.executeAsync(REQUEST, (shared) -> CompletableFuture.completedFuture(this.value.get()))
					.join());
		assertThat(seen).isEqualTo("mine");
		assertThat(this.value.get()).isEqualTo("mine");
	}

	@Test
	void completeAddsTheCarriedValueToTheThreadsOwnUntilTheScopeCloses() {
		this.value.set("b");
		CallerContext.Carried caller = context(UnaryOperator.identity()).carry();
		this.value.set("a");
		try (Scope carried = caller.complete()) {
			assertThat(this.value.get()).as(carried.toString()).isEqualTo("ab");
		}
		assertThat(this.value.get()).isEqualTo("a");
	}

	@Test
	void aContextCarriedInsideTheCallersScopeIsDecoratedWithTheCallersValue() throws Throwable {
		ThreadLocal<String> tenant = new ThreadLocal<>();
		CallerContext context = context((task) -> {
			String decorated = tenant.get();
			return () -> {
				tenant.set(decorated);
				task.run();
				tenant.remove();
			};
		});
		tenant.set("mine");
		CallerContext.Carried caller = context.carry();
		tenant.set("another's");
		CallerContext.Carried subscriber;
		try (Scope carried = caller.complete()) {
			subscriber = context.carry();
			assertThat(tenant.get()).as(carried.toString()).isEqualTo("another's");
		}
		// On the thread of a library this could be done again and again
		for (int i = 0; i < 2; i++) {
			assertThat(subscriber.<String>call(tenant::get)).isEqualTo("mine");
			assertThat(tenant.get()).isNull();
		}
		tenant.set("another's");
		assertThat(context.carry().<String>call(tenant::get)).isEqualTo("another's");
	}

	@Test
	void aStateThatFailsLeavesTheOthersAsTheyWere() {
		ThreadState failing = () -> new ThreadState.Captured() {

			@Override
			public Scope replace() {
				throw new IllegalStateException("by test");
			}

			@Override
			public Scope complete() {
				return () -> {
					throw new IllegalStateException("by test");
				};
			}

		};
		this.value.set("b");
		CallerContext.Carried caller = new CallerContext(List.of(this.state, failing), UnaryOperator.identity())
			.carry();
		this.value.set("a");
		assertThatIllegalStateException().isThrownBy(() -> caller.call(() -> null));
		assertThat(this.value.get()).isEqualTo("a");
		Scope scope = caller.complete();
		assertThatIllegalStateException().isThrownBy(scope::close);
		assertThat(this.value.get()).isEqualTo("a");
	}

	@Test
	void aDecoratorThatDoesNotRunItsTaskFailsTheCallAndKeepsNoLock() {
		this.locks = template((task) -> () -> {
		});
		assertThat(this.locks.executeAsync(REQUEST, (lock) -> CompletableFuture.completedFuture("done")))
			.failsWithin(LONG)
			.withThrowableThat()
			.withMessageContaining("The TaskDecorator beans did not run the work");
		assertThat(this.locks.held()).isZero();
	}

	@Test
	void aDecoratorThatFailsAfterItsTaskFreesNoLockUnderWork() {
		this.locks = template((task) -> () -> {
			task.run();
			throw new IllegalStateException("by test");
		});
		AtomicReference<Throwable> uncaught = new AtomicReference<>();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.locks.executeAsync(REQUEST, (lock) -> {
			Thread.currentThread().setUncaughtExceptionHandler((thread, ex) -> uncaught.set(ex));
			return work;
		});
		Awaitility.await().until(() -> uncaught.get() != null || result.isDone());
		assertThat(this.locks.held()).isOne();
		work.complete("done");
		assertThat(result).succeedsWithin(LONG).isEqualTo("done");
	}

	private String begin() {
		CompletableFuture<String> began = this.locks.executeAsync(REQUEST, (lock) -> {
			String seen = this.value.get();
			this.value.set("left");
			return CompletableFuture.completedFuture(seen);
		});
		assertThat(began).succeedsWithin(LONG);
		return began.join();
	}

	private CallerContext context(UnaryOperator<Runnable> decorator) {
		return new CallerContext(List.of(this.state), decorator);
	}

	private LockTemplate template(UnaryOperator<Runnable> decorator) {
		return new LockTemplate(new ScriptedStore(),
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""),
						LockClock.system(), List.of())
					.withCallerContext(context(decorator)));
	}

}
