package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.test.system.CapturedOutput;
import reactor.core.publisher.Mono;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Which methods run under their lock, and which keep the application from starting: none
 * runs silently without.
 */
@Timeout(120)
@ReadsOutput
class ProxiedMethodsTests {

	static final List<Arguments> refused = List.of(Arguments.of(PrivateMethod.class, "is private"),
			Arguments.of(FinalMethod.class, "is final"), Arguments.of(FutureMethod.class, "returns a Future"),
			Arguments.of(StreamMethod.class, "returns a Stream"), Arguments.of(SkippedPrimitive.class, "returns int"));

	@AutoClose
	private static final SpringApp app = new SpringApp(Working.class);

	@ParameterizedTest
	@FieldSource("refused")
	@ShowsRow(value = 35, level = Level.SPRING)
	void refusedAtStartWithItsName(Class<?> type, String problem, CapturedOutput output) {
		assertThatException().isThrownBy(() -> SpringApp.start(app.uri(), type).close());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(type.getName() + ".run(")
			.contains(problem)
			.doesNotContain("\tat ");
	}

	@Test
	@ShowsRow(value = 35, level = Level.SPRING)
	void runUnderTheirLock() {
		Working working = app.bean(Working.class);
		assertThat(working.viaPublic()).isEqualTo("public");
		assertThat(working.viaProtected()).isEqualTo("protected");
		assertThat(working.viaPackage()).isEqualTo("package");
		assertThat(working.viaInterface()).isEqualTo("interface");
		assertThat(working.viaPrimitive()).isOne();
		assertThat(working.viaStage()).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("stage");
		assertThat(working.viaMono().block(Duration.ofSeconds(30))).isEqualTo("mono");
	}

	@Test
	@ShowsRow(value = 35, level = Level.SPRING)
	void aCallOfItsOwnDoesNotPassTheProxyAndIsToldSoWhenItAsks() {
		assertThatIllegalStateException().isThrownBy(() -> app.bean(Working.class).ofItsOwn())
			.withMessageContaining("A call from within the same object does not go through the proxy");
	}

	interface Declared {

		@DistributedLock("interface")
		String viaInterface();

	}

	public static class Working implements Declared {

		@DistributedLock("public")
		String viaPublic() {
			return key();
		}

		@DistributedLock("protected")
		protected String viaProtected() {
			return key();
		}

		@DistributedLock("package")
		String viaPackage() {
			return key();
		}

		@Override
		public String viaInterface() {
			return key();
		}

		@DistributedLock("primitive")
		int viaPrimitive() {
			return (key().equals("primitive")) ? 1 : 0;
		}

		@DistributedLock("stage")
		CompletableFuture<String> viaStage() {
			LockHandle lock = LockContext.current();
			return Daemon.supply(() -> (lock.isHeld()) ? lock.key() : "not held");
		}

		@DistributedLock("mono")
		Mono<String> viaMono() {
			return Mono.deferContextual((context) -> Mono.just(context.get(LockHandle.class).key()));
		}

		String ofItsOwn() {
			return viaPackage();
		}

		private static String key() {
			return LockContext.current().key();
		}

	}

	static class PrivateMethod {

		@DistributedLock("a")
		private void run() {
		}

	}

	static class FinalMethod {

		@DistributedLock("a")
		final void run() {
		}

	}

	static class FutureMethod {

		@DistributedLock("a")
		Future<String> run() {
			return new CompletableFuture<>();
		}

	}

	static class StreamMethod {

		@DistributedLock("a")
		Stream<String> run() {
			return Stream.of("a");
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP)
		int run() {
			return 1;
		}

	}

}
