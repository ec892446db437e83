package io.mongolock.sample.orders.page;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.springframework.core.task.TaskRejectedException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import io.mongolock.LockOwner;
import io.mongolock.sample.orders.OrderRepository;
import io.mongolock.sample.orders.Payment;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * What the page asks for.
 */
@RestController
@RequestMapping("/page")
class PageController {

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private static final int MAX_LOCKS = 50;

	private final LockStore locks;

	private final InstanceReporter instances;

	private final PaymentDesk desk;

	private final OrderRepository orders;

	private final LockOwner self;

	PageController(LockStore locks, InstanceReporter instances, PaymentDesk desk, OrderRepository orders,
			LockOwner self) {
		this.locks = locks;
		this.instances = instances;
		this.desk = desk;
		this.orders = orders;
		this.self = self;
	}

	@GetMapping("/board")
	Board board() {
		InstanceReporter.Reports reports = this.instances.read();
		List<Lock> held = this.locks.list(MAX_LOCKS, PATIENCE).stream().map(Lock::of).toList();
		return new Board(this.self.instance(), reports.now(), reports.instances(), held, this.desk.sent());
	}

	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.ACCEPTED)
	PaymentDesk.Sent pay(@RequestBody Asked asked) {
		Payment payment = new Payment(asked.amount(), asked.takes());
		if (!payment.isValid() || !this.orders.existsById(asked.order())) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					(payment.isValid()) ? "There is no order '" + asked.order() + "'" : Payment.RULE);
		}
		try {
			return this.desk.send(asked.order(), payment);
		}
		catch (TaskRejectedException ex) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "Too many payments are under way", ex);
		}
	}

	/**
	 * A payment that the page asks for.
	 *
	 * @param order the order
	 * @param amount in cents
	 * @param takes how long the work takes
	 */
	record Asked(String order, long amount, Duration takes) {

	}

	/**
	 * All that the page shows of locks; times are the server's.
	 *
	 * @param self the instance that answers
	 * @param now the time
	 * @param instances what the instances reported
	 * @param locks the locks that somebody holds
	 * @param sent the last payments that this instance took for the page
	 */
	record Board(String self, Instant now, List<InstanceReport> instances, List<Lock> locks,
			List<PaymentDesk.Sent> sent) {

	}

	/**
	 * A lock that somebody holds.
	 *
	 * @param key its key
	 * @param holders who holds it
	 */
	record Lock(String key, List<Holder> holders) {

		static Lock of(StoredLock lock) {
			return new Lock(lock.key(),
					lock.holders().stream().filter((holder) -> holder.isAlive(lock.now())).map(Holder::of).toList());
		}

	}

	/**
	 * The holder of a lock.
	 *
	 * @param instance which instance
	 * @param owner the same with host, process and thread
	 * @param fence the number of the grant
	 * @param acquiredAt when it was granted
	 * @param renewedAt when its lease last began
	 * @param endsAt when its lease ends unless it is renewed
	 */
	record Holder(String instance, String owner, long fence, Instant acquiredAt, Instant renewedAt, Instant endsAt) {

		static Holder of(StoredHolder holder) {
			return new Holder(holder.owner().instance(), holder.owner().toString(), holder.fence(), holder.acquiredAt(),
					holder.renewedAt(), holder.renewedAt().plus(holder.ttl()));
		}

	}

}
