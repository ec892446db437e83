package io.mongolock.faults.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Keeps what the clients of thousands of histories warn of from the log of this JVM.
 */
final class Silence implements AutoCloseable {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.mongolock");

	private final @Nullable Level before = this.logger.getLevel();

	Silence() {
		this.logger.setLevel(Level.OFF);
	}

	@Override
	public void close() {
		this.logger.setLevel(this.before);
	}

}
