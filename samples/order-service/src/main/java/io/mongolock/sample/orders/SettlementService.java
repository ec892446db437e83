package io.mongolock.sample.orders;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

import io.mongolock.LockOwner;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

/**
 * Closes what is paid. Every instance wakes up for it at the same time and the first one
 * does it; run a second time it finds nothing left to do.
 */
@Service
public class SettlementService {

	private static final Log logger = LogFactory.getLog(SettlementService.class);

	private final OrderRepository orders;

	private final SettlementRepository settlements;

	private final OrderServiceProperties properties;

	private final LockOwner self;

	SettlementService(OrderRepository orders, SettlementRepository settlements, OrderServiceProperties properties,
			LockOwner self) {
		this.orders = orders;
		this.settlements = settlements;
		this.properties = properties;
		this.self = self;
	}

	/**
	 * Close all orders that are paid, unless an instance is doing so already.
	 * @return what was done, empty if it was left to another
	 */
	@Scheduled(cron = "${orders.settlement-cron:0 0 2 * * *}")
	@DistributedLock(name = "settlement", waitTimeout = "0s", onUnavailable = OnUnavailable.SKIP)
	public Optional<Settlement> settle() {
		Instant startedAt = Instant.now();
		List<Order> paid = this.orders.findBySettledFalseAndBalanceLessThanEqual(0);
		Work.lasting(this.properties.settlementTime());
		paid.forEach((order) -> this.orders.setSettled(order.id()));
		logger.info("Settlement: closed " + paid.size() + " paid orders");
		return Optional.of(this.settlements.save(new Settlement(null, this.self.instance(), startedAt, paid.size())));
	}

}
