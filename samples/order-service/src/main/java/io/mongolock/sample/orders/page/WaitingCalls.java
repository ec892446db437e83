package io.mongolock.sample.orders.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Counts the payments of this instance that wait for the lock of their order: those that
 * were called, less those that have it. Thread-safe.
 */
@Aspect
@Component
@Order(0) // outside the lock
class WaitingCalls {

	private final Map<String, List<Long>> calls = new TreeMap<>();

	@Around("execution(* io.mongolock.sample.orders.PaymentService.pay(..)) && args(order, ..)")
	@Nullable Object count(ProceedingJoinPoint call, String order) throws Throwable {
		Long calledAt = begin("order:" + order);
		try {
			return call.proceed();
		}
		finally {
			end("order:" + order, calledAt);
		}
	}

	/**
	 * The calls that wait, by key.
	 * @param turns the turns of this instance
	 * @return the waiting calls
	 */
	synchronized List<Waiting> waiting(List<Turn> turns) {
		long now = System.nanoTime();
		List<Waiting> waiting = new ArrayList<>();
		this.calls.forEach((key, calls) -> {
			int holding = (int) turns.stream().filter((turn) -> turn.end() == null && turn.key().equals(key)).count();
			if (calls.size() > holding) {
				// First come, first served: the oldest calls are those that have it
				waiting.add(new Waiting(key, calls.size() - holding,
						TimeUnit.NANOSECONDS.toMillis(now - calls.get(holding))));
			}
		});
		return waiting;
	}

	private synchronized Long begin(String key) {
		Long calledAt = System.nanoTime();
		this.calls.computeIfAbsent(key, (unknown) -> new ArrayList<>()).add(calledAt);
		return calledAt;
	}

	private synchronized void end(String key, Long calledAt) {
		this.calls.computeIfPresent(key, (known, calls) -> {
			calls.remove(calledAt);
			return (calls.isEmpty()) ? null : calls;
		});
	}

	/**
	 * Calls that wait for a lock.
	 *
	 * @param key the key of the lock
	 * @param calls how many
	 * @param longest milliseconds that the first of them has waited
	 */
	record Waiting(String key, int calls, long longest) {

	}

}
