package io.mongolock.sample.orders;

import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Service;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.data.FencedWrites;

/**
 * Takes payments. Reading the balance, doing some work and writing the new balance is
 * safe only if nobody else does so meanwhile, in any instance.
 */
@Service
public class PaymentService {

	private final OrderRepository orders;

	private final FencedWrites writes;

	private final OrderServiceProperties properties;

	private final LockOwner self;

	PaymentService(OrderRepository orders, FencedWrites writes, OrderServiceProperties properties, LockOwner self) {
		this.orders = orders;
		this.writes = writes;
		this.properties = properties;
		this.self = self;
	}

	/**
	 * Take a payment: one at a time for an order, of all instances.
	 * @param id the order
	 * @param payment the payment
	 * @return the receipt
	 * @throws NotPaidException if the lock is lost before the payment is written; if it
	 * is lost after that, the caller of the proxy gets a
	 * {@link io.mongolock.LockLostException}
	 */
	@DistributedLock(name = "order", key = "#id")
	public Receipt pay(String id, Payment payment) {
		long balance = newBalance(id, payment);
		LockHandle lock = LockContext.current();
		if (!lock.isHeld()) {
			throw new NotPaidException(id);
		}
		// If this process stands still from here on, a later holder's balance is not
		// overwritten
		this.writes.update(lock, Query.query(Criteria.where("id").is(id)), Update.update("balance", balance),
				Order.class);
		return receipt(id, payment, balance, lock.fence());
	}

	/**
	 * The same without the lock, to show that payments get lost.
	 * @param id the order
	 * @param payment the payment
	 * @return the receipt
	 */
	public Receipt payUnguarded(String id, Payment payment) {
		long balance = newBalance(id, payment);
		this.orders.setBalance(id, balance);
		return receipt(id, payment, balance, null);
	}

	private long newBalance(String id, Payment payment) {
		Order order = this.orders.findById(id).orElseThrow(() -> new NoSuchOrderException(id));
		Work.lasting((payment.takes() != null) ? payment.takes() : this.properties.paymentTime());
		return order.balance() - payment.amount();
	}

	private Receipt receipt(String id, Payment payment, long balance, @Nullable Long fence) {
		return new Receipt(id, payment.amount(), balance, this.self.instance(), fence);
	}

}
