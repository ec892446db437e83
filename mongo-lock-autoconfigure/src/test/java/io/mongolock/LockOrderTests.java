package io.mongolock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * No thread waits for a monitor of a thread that waits for one of its own: there is an
 * order in which they are taken, which CONTRIBUTING.md has.
 */
class LockOrderTests {

	private static final List<String> MODULES = List.of("mongo-lock-core", "mongo-lock-mongodb", "mongo-lock-spring",
			"mongo-lock-autoconfigure");

	private static final Path TEST_CLASSES = Path.of("target", "test-classes", "io", "mongolock");

	@Test
	void monitorsAreTakenInTheOrderThatIsWrittenDown() throws IOException {
		List<Path> classes = new ArrayList<>();
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(Path.of("..", module, "target", "classes"))) {
				files.filter((file) -> file.toString().endsWith(".class")).forEach(classes::add);
			}
		}
		LockOrder order = new LockOrder(classes);
		String table = table(order);
		String page = Files.readString(Path.of("..", "CONTRIBUTING.md"));
		assertThat(page).as("its table is to be: %s", table).contains(table);
		assertThat(order.sorted().stream().filter((monitor) -> !page.contains("`" + monitor + "`")))
			.as("monitors that are not on the page")
			.isEmpty();
	}

	@Test
	void twoThatCallEachOtherAreACircle() {
		assertCircle(Left.class, Right.class);
	}

	@Test
	void aFunctionThatIsKeptAndCalledLaterMakesACircle() {
		assertCircle(Keeper.class, Kept.class);
	}

	@Test
	void anAtomicStepOfAMapMakesACircle() {
		assertCircle(Steps.class, InStep.class);
	}

	@Test
	void aCallAfterABlockIsNotWithinIt() throws IOException {
		assertThat(order(After.class, Right.class).order()).isEmpty();
	}

	private static void assertCircle(Class<?>... classes) {
		assertThatIllegalStateException().isThrownBy(() -> order(classes).sorted())
			.withMessageStartingWith("A circle: ")
			.withMessageContaining("LockOrderTests." + classes[0].getSimpleName())
			.withMessageContaining("LockOrderTests." + classes[1].getSimpleName());
	}

	private static LockOrder order(Class<?>... classes) throws IOException {
		return new LockOrder(Stream.of(classes)
			.map((type) -> TEST_CLASSES.resolve("LockOrderTests$" + type.getSimpleName() + ".class"))
			.toList());
	}

	private static String table(LockOrder order) {
		StringBuilder table = new StringBuilder("\n| monitor | while it is held, may be taken |\n|---|---|\n");
		Map<String, Map<String, String>> taken = order.order();
		order.sorted().stream().filter(taken::containsKey).forEach((monitor) -> {
			String names = String.join("`, `", taken.get(monitor).keySet());
			table.append("| `").append(monitor).append("` | `").append(names).append("` |\n");
		});
		return table.toString();
	}

	private static final class Left {

		private final Right right = new Right(this);

		synchronized void call() {
			this.right.call();
		}

	}

	private static final class Right {

		private final Left left;

		private Right(Left left) {
			this.left = left;
		}

		void call() {
			synchronized (this) {
				this.left.call();
			}
		}

	}

	private static final class After {

		private Right right;

		boolean call() {
			synchronized (this) {
				if (this.right == null) {
					return false;
				}
			}
			this.right.call();
			return true;
		}

	}

	private static final class Keeper {

		private final Supplier<String> kept;

		private Keeper(Supplier<String> kept) {
			this.kept = kept;
		}

		synchronized String call() {
			return this.kept.get();
		}

	}

	private static final class Kept {

		private final Keeper keeper = new Keeper(() -> take());

		private synchronized String take() {
			return "taken";
		}

		synchronized String call() {
			return this.keeper.call();
		}

	}

	private static final class Steps {

		private final Map<String, String> map = new ConcurrentHashMap<>();

		void call(InStep step) {
			this.map.computeIfPresent("k", (key, value) -> {
				step.take();
				return value;
			});
		}

	}

	private static final class InStep {

		private final Steps steps = new Steps();

		synchronized void take() {
		}

		synchronized void call() {
			this.steps.call(this);
		}

	}

}
