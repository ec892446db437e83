package io.mongolock.sample.orders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.io.Resource;
import org.springframework.stereotype.Component;

import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

/**
 * Loads the orders that come with the application.
 */
@Component
public class OrderImport {

	private static final Log logger = LogFactory.getLog(OrderImport.class);

	private final OrderRepository orders;

	private final Resource file;

	OrderImport(OrderRepository orders, @Value("classpath:orders.csv") Resource file) {
		this.orders = orders;
		this.file = file;
	}

	/**
	 * Load the orders if there are none; left to another instance that is doing so.
	 */
	@DistributedLock(name = "order-import", waitTimeout = "0s", onUnavailable = OnUnavailable.SKIP)
	public void importIfEmpty() {
		// Looked at under the lock: another instance may just have finished
		if (this.orders.count() == 0) {
			List<Order> read = read();
			this.orders.insert(read);
			logger.info("Loaded " + read.size() + " orders from " + this.file.getFilename());
		}
	}

	private List<Order> read() {
		try {
			return this.file.getContentAsString(StandardCharsets.UTF_8).lines().skip(1).map(Order::parse).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
