package io.mongolock.sample.orders.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.stereotype.Service;

import io.mongolock.sample.orders.Payment;
import io.mongolock.sample.orders.PaymentService;
import io.mongolock.sample.orders.Receipt;

/**
 * Takes payments of the page in the background: a browser keeps at most six requests to a
 * server open, and the seventh click would wait inside the browser. Thread-safe.
 */
@Service
class PaymentDesk {

	private static final int MOST = 100;

	private static final int REMEMBERED = 20;

	private final PaymentService payments;

	private final SimpleAsyncTaskExecutor tellers = new SimpleAsyncTaskExecutor("payment-");

	private final Map<Long, Sent> sent = new LinkedHashMap<>();

	private long last;

	PaymentDesk(PaymentService payments) {
		this.payments = payments;
		this.tellers.setDaemon(true);
		this.tellers.setConcurrencyLimit(MOST);
		this.tellers.setRejectTasksWhenLimitReached(true);
	}

	/**
	 * Take a payment in the background.
	 * @param order the order
	 * @param payment the payment
	 * @return the payment under way
	 * @throws org.springframework.core.task.TaskRejectedException if too many are under
	 * way
	 */
	Sent send(String order, Payment payment) {
		Sent sent = add(order, payment.amount());
		this.tellers.execute(() -> take(sent, payment));
		return sent;
	}

	/**
	 * What became of the last payments.
	 * @return the payments, oldest first
	 */
	synchronized List<Sent> sent() {
		return new ArrayList<>(this.sent.values());
	}

	private void take(Sent sent, Payment payment) {
		try {
			end(sent.with(this.payments.pay(sent.order(), payment), null));
		}
		catch (RuntimeException ex) {
			end(sent.with(null, String.valueOf(ex.getMessage())));
		}
	}

	private synchronized Sent add(String order, long amount) {
		Sent sent = new Sent(++this.last, order, amount, null, null);
		this.sent.put(sent.number(), sent);
		this.sent.remove(this.last - REMEMBERED);
		return sent;
	}

	// a call that is forgotten at that time does not come back as if it were the last
	private synchronized void end(Sent sent) {
		this.sent.replace(sent.number(), sent);
	}

	/**
	 * A payment that the page sent.
	 *
	 * @param number counts them
	 * @param order the order
	 * @param amount in cents
	 * @param receipt if it was taken
	 * @param problem if it was not
	 */
	record Sent(long number, String order, long amount, @Nullable Receipt receipt, @Nullable String problem) {

		Sent with(@Nullable Receipt receipt, @Nullable String problem) {
			return new Sent(this.number, this.order, this.amount, receipt, problem);
		}

	}

}
