package io.mongolock.sample.orders;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockLostException;
import io.mongolock.LockUnavailableException;
import io.mongolock.StaleFenceException;
import io.mongolock.sample.orders.server.MongoServer;

/**
 * Answers what went wrong as problem details (RFC 9457).
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

	private static final Log logger = LogFactory.getLog(Problems.class);

	private final MongoServer server;

	private final ServerWatch watch;

	Problems(MongoServer server, ServerWatch watch) {
		this.server = server;
		this.watch = watch;
	}

	@ExceptionHandler
	ProblemDetail noSuchOrder(NoSuchOrderException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ProblemDetail lockUnavailable(LockUnavailableException ex) {
		List<HeldLock> holders = ex.getHolders().stream().map((holder) -> HeldLock.of(ex.getKey(), holder)).toList();
		ProblemDetail problem = problem(HttpStatus.CONFLICT, "Busy", ex);
		problem.setProperty("heldBy", holders);
		return problem;
	}

	// Nobody need hold the lock: this instance stops, and another can do it
	@ExceptionHandler
	ProblemDetail lockNotAwaited(LockAttemptAbortedException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Lock not acquired", ex);
	}

	@ExceptionHandler({ NotPaidException.class, StaleFenceException.class })
	ProblemDetail notPaid(RuntimeException ex) {
		ProblemDetail problem = problem(HttpStatus.CONFLICT, "Overtaken: nothing was paid", ex);
		problem.setDetail("Somebody else may be at this order now. Nothing was paid: try again");
		return problem;
	}

	// No 503: who takes that for an invitation to try again pays twice
	@ExceptionHandler
	ProblemDetail lockLost(LockLostException ex) {
		ProblemDetail problem = problem(HttpStatus.INTERNAL_SERVER_ERROR,
				"Carried out, but somebody else may have been at it at the same time", ex);
		problem.setDetail("The request has been carried out, but it lost its lock before its end, so "
				+ "somebody else may have changed the same order. Do not try again: look at the order first");
		return problem;
	}

	@ExceptionHandler
	ProblemDetail databaseTrouble(DataAccessException ex) {
		ProblemDetail problem = problem(HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer", ex);
		problem.setDetail("The database does not answer (" + this.server
				+ "). Try again when it is back; look at the balance first if a payment was under way");
		return problem;
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status,
				"Expected JSON like {\"amount\": 1250}, in cents");
		return handleExceptionInternal(ex, problem, headers, status, request);
	}

	private ProblemDetail problem(HttpStatus status, String title, RuntimeException ex) {
		// Said once by ServerWatch while the server is away, not for every request
		if (!this.watch.isAway()) {
			logger.warn(title + ": " + ex.getMessage());
		}
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
		problem.setTitle(title);
		return problem;
	}

}
