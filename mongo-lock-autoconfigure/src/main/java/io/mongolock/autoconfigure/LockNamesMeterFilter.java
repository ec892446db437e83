package io.mongolock.autoconfigure;

import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Leaves out the meters of all names after the first 500, and logs this once. Each name
 * has several meters, so names that contain data would add meters with each call.
 * Thread-safe.
 */
final class LockNamesMeterFilter implements MeterFilter {

	static final int MAX_NAMES = 500;

	private static final Log logger = LogFactory.getLog(LockNamesMeterFilter.class);

	private final MeterFilter bound = MeterFilter.maximumAllowableTags("mongo.lock", "lock", MAX_NAMES,
			new MeterFilter() {

				@Override
				public MeterFilterReply accept(Meter.Id id) {
					return leftOut(id);
				}

			});

	private final AtomicBoolean said = new AtomicBoolean();

	@Override
	public MeterFilterReply accept(Meter.Id id) {
		return this.bound.accept(id);
	}

	private MeterFilterReply leftOut(Meter.Id id) {
		if (!this.said.getAndSet(true)) {
			logger.warn("There are more than " + MAX_NAMES + " lock names. The name '" + id.getTag("lock")
					+ "' and all further names have no meters. Give each kind of lock one fixed name, and put the data "
					+ "of a call into the key");
		}
		return MeterFilterReply.DENY;
	}

}
