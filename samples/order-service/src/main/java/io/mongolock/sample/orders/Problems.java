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

import io.mongolock.LockException;
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

	Problems(MongoServer server) {
		this.server = server;
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

	@ExceptionHandler({ LockLostException.class, StaleFenceException.class })
	ProblemDetail lockLost(LockException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Interrupted: look at the balance before trying again", ex);
	}

	@ExceptionHandler
	ProblemDetail databaseTrouble(DataAccessException ex) {
		ProblemDetail problem = problem(HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer", ex);
		problem.setDetail("The database does not answer (" + this.server
				+ "). Try again when it is back; of what was under way, look at the balance first");
		return problem;
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status,
				"Expected JSON such as {\"amount\": 1250}, in cents");
		return handleExceptionInternal(ex, problem, headers, status, request);
	}

	private static ProblemDetail problem(HttpStatus status, String title, RuntimeException ex) {
		logger.warn(title + ": " + ex.getMessage());
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
		problem.setTitle(title);
		return problem;
	}

}
