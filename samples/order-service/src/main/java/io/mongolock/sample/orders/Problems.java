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
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.StaleFenceException;

/**
 * Answers what went wrong as problem details (RFC 9457).
 */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

	private static final Log logger = LogFactory.getLog(Problems.class);

	private final ServerWatch watch;

	Problems(ServerWatch watch) {
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

	@ExceptionHandler({ LockLostException.class, StaleFenceException.class })
	ProblemDetail lockLost(LockException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Interrupted: look at the balance before trying again", ex);
	}

	@ExceptionHandler
	ProblemDetail lockNotAskedFor(LockStoreException ex) {
		return noAnswer(ex, "Nothing was done, since the lock could not be asked for. Try again later");
	}

	@ExceptionHandler
	ProblemDetail databaseTrouble(DataAccessException ex) {
		return noAnswer(ex, "If this was a payment, look at the balance before you send it again");
	}

	@Override
	protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(HttpMessageNotReadableException ex,
			HttpHeaders headers, HttpStatusCode status, WebRequest request) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status,
				"Expected JSON such as {\"amount\": 1250}, in cents");
		return handleExceptionInternal(ex, problem, headers, status, request);
	}

	private ProblemDetail noAnswer(DataAccessException ex, String advice) {
		// while it is known to be away, one line for each request would be noise
		if (this.watch.isAway()) {
			logger.debug(ex.getMessage());
		}
		else {
			logger.warn("Request failed: " + ex.getMessage());
		}
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, advice);
		problem.setTitle("The database does not answer");
		return problem;
	}

	private static ProblemDetail problem(HttpStatus status, String title, RuntimeException ex) {
		logger.warn(title + ": " + ex.getMessage());
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
		problem.setTitle(title);
		return problem;
	}

}
