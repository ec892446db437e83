package io.mongolock.interceptor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;

/**
 * Goes on without the method if another holds a lock of it.
 *
 * @param execution runs the method under its locks
 */
record SkippingExecution(LockedExecution execution) implements LockedExecution {

	private static final Log logger = LogFactory.getLog(SkippingExecution.class);

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		try {
			return this.execution.run(call);
		}
		catch (LockUnavailableException ex) {
			// one that the method threw is none of ours, and an interrupt is no answer
			if (call.hasBegun() || Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			logger.debug("Skipped " + call.method() + ": " + ex.getMessage());
			return SkippedResult.of(call.method().getReturnType());
		}
	}

}
