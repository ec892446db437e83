package io.mongolock.sample.orders;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.mongolock.sample.orders.server.MongoServer;

/**
 * Says once when the server goes away and once when it is back, and loads the orders when
 * there are none: at the first start, and again when a server that keeps them in memory
 * was restarted.
 */
@Component
class ServerWatch {

	private static final Log logger = LogFactory.getLog(ServerWatch.class);

	private final OrderRepository orders;

	private final OrderImport orderImport;

	private final MongoServer server;

	private volatile boolean away;

	private boolean seen;

	ServerWatch(OrderRepository orders, OrderImport orderImport, MongoServer server) {
		this.orders = orders;
		this.orderImport = orderImport;
		this.server = server;
	}

	boolean isAway() {
		return this.away;
	}

	@Scheduled(fixedDelayString = "${orders.watch-interval:1s}")
	void look() {
		try {
			boolean empty = this.orders.count() == 0;
			answered();
			if (empty) {
				load();
			}
			this.seen |= !empty;
		}
		catch (DataAccessException ex) {
			failed(ex);
		}
	}

	private void load() {
		if (this.seen) {
			logger.warn("The orders are gone: " + this.server + " was restarted or emptied. Loading them again");
		}
		this.orderImport.importIfEmpty();
	}

	private void answered() {
		if (this.away) {
			logger.info(this.server + " answers again");
		}
		this.away = false;
	}

	private static String firstSentence(Throwable cause) {
		// What follows describes the whole cluster
		return String.valueOf(cause.getMessage()).split("\\. ", 2)[0];
	}

	private void failed(DataAccessException ex) {
		if (!this.away) {
			logger.warn(this.server + " does not answer; requests are refused until it does: "
					+ firstSentence(ex.getMostSpecificCause()));
			logger.debug("All that the driver says of it", ex);
		}
		this.away = true;
	}

}
