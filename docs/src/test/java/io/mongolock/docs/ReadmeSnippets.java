package io.mongolock.docs;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

import org.springframework.scheduling.annotation.Scheduled;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

/**
 * The Java of the documents, so that it is compiled.
 */
public class ReadmeSnippets {

	private final Payments payments;

	private final Accounts accounts;

	private final Reports reports;

	private final LockOperations locks;

	public ReadmeSnippets(Payments payments, Accounts accounts, Reports reports, LockOperations locks) {
		this.payments = payments;
		this.accounts = accounts;
		this.reports = reports;
		this.locks = locks;
	}

	@DistributedLock(name = "settlement", onUnavailable = OnUnavailable.SKIP, minHold = "1m")
	@Scheduled(cron = "0 0 3 * * *")
	public void settle() {
		this.payments.settleAll();
	}

	@DistributedLock(name = "order", key = "#order.id")
	public Receipt pay(Order order) {
		return this.payments.charge(order);
	}

	@DistributedLock(name = "order", key = "#orders.![id]")
	public void ship(List<Order> orders) {
		orders.forEach(this.payments::charge);
	}

	@DistributedLock(name = "account", key = "#from")
	@DistributedLock(name = "account", key = "#to")
	public void transfer(String from, String to, BigDecimal amount) {
		this.payments.move(from, to, amount);
	}

	@DistributedLock(name = "report", key = "#month")
	public void build(String month) {
		LockHandle lock = LockContext.current();
		for (Account account : this.accounts.of(month)) {
			lock.assertHeld();
			this.reports.add(month, account, lock.fence());
		}
	}

	Optional<LockHandle> withoutAnnotation(String id) {
		Receipt receipt = this.locks.execute(LockRequest.of("order", id), (lock) -> this.payments.charge(id));

		LockRequest once = LockRequest.builder("import").ttl(Duration.ofMinutes(2)).build();
		Optional<LockHandle> acquired = this.locks.tryAcquire(once);
		return (receipt != null) ? acquired : Optional.empty();
	}

	public Receipt payUnderAccount(String id, String account) {
		List<LockRequest> both = List.of(LockRequest.of("order", id), LockRequest.of("account", account));
		Receipt receipt = this.locks.execute(both, (last) -> this.payments.charge(id));
		return receipt;
	}

	public Receipt payUnderBoth(Lock old, String id) {
		old.lock();
		try {
			return this.locks.execute(LockRequest.of("order", id), (lock) -> this.payments.charge(id));
		}
		finally {
			old.unlock();
		}
	}

	public record Order(String id) {

	}

	public record Receipt(String id) {

	}

	public record Account(String id, long balance) {

	}

	public interface Payments {

		Receipt charge(Order order);

		Receipt charge(String id);

		void settleAll();

		void move(String from, String to, BigDecimal amount);

	}

	public interface Accounts {

		List<Account> of(String month);

	}

	public interface Reports {

		void add(String month, Account account, long fence);

	}

}
