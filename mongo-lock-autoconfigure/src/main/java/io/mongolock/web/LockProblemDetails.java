package io.mongolock.web;

import java.time.Duration;
import java.util.List;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockException;
import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;

/**
 * Answers with problem details (RFC 9457) and {@code Retry-After}, in servlet and
 * reactive applications. The answer is 409 if another holder has the lock, and 503 if the
 * store fails or the attempt was aborted. The answer does not name the holder; the log
 * and the exception do. A lost lock is not answered here: work was already done, so the
 * application must answer. Thread-safe.
 */
@RestControllerAdvice
@Order(0) // like Spring Boot's own, before an unordered handler of all exceptions
public final class LockProblemDetails {

	/**
	 * The answer to a request that is repeated later than this is rarely still useful.
	 */
	private static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(30);

	private static final Duration RETRY_STORE_AFTER = Duration.ofSeconds(5);

	/**
	 * Answers if another holder has the lock.
	 */
	@ExceptionHandler
	public ResponseEntity<ProblemDetail> held(LockUnavailableException ex) {
		return answer(HttpStatus.CONFLICT, "Locked",
				"Another request is already processing this resource. Try again later.", retryAfter(ex.getHolders()));
	}

	/**
	 * Answers if the store could not be asked, or if the wait ended early because the
	 * application stops or the thread was interrupted.
	 */
	@ExceptionHandler({ LockStoreException.class, LockAttemptAbortedException.class })
	public ResponseEntity<ProblemDetail> failed(LockException ex) {
		return answer(HttpStatus.SERVICE_UNAVAILABLE, "Lock not acquired",
				"We could not find out whether another request is processing this resource. Try again later.",
				RETRY_STORE_AFTER);
	}

	private static ResponseEntity<ProblemDetail> answer(HttpStatus status, String title, String detail,
			Duration retryAfter) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		return ResponseEntity.status(status)
			.header(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter.toSeconds()))
			.body(problem);
	}

	private static Duration retryAfter(List<LockHolder> holders) {
		Duration first = holders.stream()
			.map(LockProblemDetails::expected)
			.min(Duration::compareTo)
			.orElse(Duration.ZERO);
		Duration whole = Duration.ofSeconds(Math.max(1, first.plusMillis(999).toSeconds()));
		return (whole.compareTo(MAX_RETRY_AFTER) < 0) ? whole : MAX_RETRY_AFTER;
	}

	// We expect work to last about as long again as it has lasted. The lease of a dead
	// holder ends by itself
	private static Duration expected(LockHolder holder) {
		return (holder.heldFor().compareTo(holder.remaining()) < 0) ? holder.heldFor() : holder.remaining();
	}

}
