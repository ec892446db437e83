package io.mongolock.faults.harness;

import java.util.concurrent.ConcurrentHashMap;

import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.junit.jupiter.api.Assumptions;

/**
 * Runs the operations of a class on several threads in many orders of their steps, which
 * are reads and writes of fields, monitors and the like. What each operation returns, and
 * what it leaves to those that follow, must be as if they had run one after the other.
 * <p>
 * {@code -Dmongo-lock.orders=10} tries ten times as many scenarios.
 */
public final class ThreadOrders {

	private static final int MORE = Integer.getInteger("mongo-lock.orders", 1);

	/** Later ones change classes of the JDK that the model checker has to follow. */
	private static final int NEWEST_JDK = 25;

	/** Of one scenario: after these, others show more. */
	private static final int MAX_ORDERS = 50;

	private ThreadOrders() {
	}

	/**
	 * Run scenarios of two threads with three operations each.
	 * @param scenarios how many, drawn in the same way each time
	 */
	public static void check(Class<?> operations, int scenarios) {
		check(operations, scenarios, 2, 3);
	}

	/**
	 * Run scenarios.
	 * @param scenarios how many, drawn in the same way each time
	 * @param threads on how many threads
	 * @param each how many operations on each thread
	 */
	public static void check(Class<?> operations, int scenarios, int threads, int each) {
		check(options(scenarios, threads, each), operations);
	}

	/**
	 * Run two operations beside each other.
	 * @param orders in how many orders at most: first those in which one waits for the
	 * other once, then those in which it does so twice, and so on
	 */
	public static void checkBeside(Class<?> operations, int orders) {
		check(options(1, 2, 1).invocationsPerIteration(orders), operations);
	}

	/**
	 * Run scenarios of two threads with three operations each, which return what those of
	 * a specification do, one after the other.
	 */
	public static void check(Class<?> operations, Class<?> specification, int scenarios) {
		check(options(scenarios, 2, 3).sequentialSpecification(specification), operations);
	}

	private static ModelCheckingOptions options(int scenarios, int threads, int each) {
		return new ModelCheckingOptions().iterations(scenarios * MORE)
			.invocationsPerIteration(MAX_ORDERS)
			.threads(threads)
			.actorsPerThread(each)
			.actorsBefore(0)
			.actorsAfter(0)
			.addGuarantee(ManagedStrategyGuaranteeKt.forClasses(ConcurrentHashMap.class.getName())
				.allMethods()
				.treatAsAtomic());
	}

	private static void check(ModelCheckingOptions options, Class<?> operations) {
		int jdk = Runtime.version().feature();
		if (jdk > NEWEST_JDK) {
			String message = operations.getSimpleName() + ": not run, as Lincheck was tried on JDK 17 to " + NEWEST_JDK
					+ " and this is " + jdk;
			System.out.println(message);
			Assumptions.abort(message);
		}
		long began = System.nanoTime();
		options.check(operations);
		System.out.println(operations.getName() + " " + (System.nanoTime() - began) / 1_000_000 + " ms");
	}

}
