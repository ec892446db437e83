package io.mongolock.interceptor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockUnavailableException;

/**
 * Answers the caller in place of the method if another holder has one of its locks.
 *
 * @param execution runs the method under its locks
 * @param answer makes the result for the caller
 */
record UnavailableExecution(LockedExecution execution, UnavailableAnswer answer) implements LockedExecution {

	private static final Log logger = LogFactory.getLog(UnavailableExecution.class);

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		try {
			return this.execution.run(call);
		}
		catch (LockUnavailableException ex) {
			if (!UnavailableAnswer.isTo(ex, call)) {
				throw ex;
			}
			logger.debug(call.method() + " was not run. " + ex.getMessage());
			return this.answer.answer(call, ex);
		}
	}

}
