package io.mongolock.sample.orders;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

import io.mongolock.LockOwner;

/**
 * Says where to look once the application runs.
 */
@Component
class Ready {

	private static final Log logger = LogFactory.getLog(Ready.class);

	private final LockOwner self;

	Ready(LockOwner self) {
		this.self = self;
	}

	@EventListener
	void ready(ApplicationReadyEvent event) {
		Environment environment = event.getApplicationContext().getEnvironment();
		logger.info("Instance " + this.self.instance() + " is ready at http://localhost:"
				+ environment.getProperty("local.server.port"));
	}

}
