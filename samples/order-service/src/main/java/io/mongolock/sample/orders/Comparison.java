package io.mongolock.sample.orders;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

import org.springframework.stereotype.Service;

import io.mongolock.LockException;
import io.mongolock.annotation.DistributedLock;

/**
 * Sends payments to one order all at once, with the lock and without, and compares the
 * balance with what it should be.
 */
@Service
public class Comparison {

	static final int MOST = 200;

	private static final Payment PAYMENT = new Payment(100, null);

	private final OrderRepository orders;

	private final PaymentService payments;

	Comparison(OrderRepository orders, PaymentService payments) {
		this.orders = orders;
		this.payments = payments;
	}

	/**
	 * Compare; only one comparison at a time for an order, or they would disturb each
	 * other.
	 * @param id the order
	 * @param payments how many to send each time
	 * @return the guarded run and the unguarded one
	 */
	@DistributedLock(name = "comparison", key = "#id", waitTimeout = "0s")
	public List<Run> run(String id, int payments) {
		return List.of(run(id, payments, true, this.payments::pay),
				run(id, payments, false, this.payments::payUnguarded));
	}

	private Run run(String id, int payments, boolean guarded, BiFunction<String, Payment, Receipt> way) {
		long before = balance(id);
		long start = System.nanoTime();
		int accepted = send(payments, () -> {
			way.apply(id, PAYMENT);
			return 1;
		});
		long millis = (System.nanoTime() - start) / 1_000_000;
		return new Run(guarded, payments, accepted, before, before - accepted * PAYMENT.amount(), balance(id), millis);
	}

	private long balance(String id) {
		return this.orders.findById(id).orElseThrow(() -> new NoSuchOrderException(id)).balance();
	}

	private static int send(int payments, Callable<Integer> payment) {
		ExecutorService customers = Executors.newFixedThreadPool(payments);
		try {
			int accepted = 0;
			for (Future<Integer> receipt : customers.invokeAll(Collections.nCopies(payments, payment))) {
				accepted += accepted(receipt);
			}
			return accepted;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while paying", ex);
		}
		finally {
			customers.shutdownNow();
		}
	}

	private static int accepted(Future<Integer> receipt) throws InterruptedException {
		try {
			return receipt.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockException) {
				return 0;
			}
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : new IllegalStateException(ex);
		}
	}

	/**
	 * What came of many payments at once. Money is in cents.
	 *
	 * @param guarded whether each took the lock
	 * @param sent how many were sent
	 * @param accepted how many got a receipt
	 * @param before the balance before
	 * @param expected what it should be after
	 * @param after what it is
	 * @param millis how long it took
	 */
	record Run(boolean guarded, int sent, int accepted, long before, long expected, long after, long millis) {

	}

}
