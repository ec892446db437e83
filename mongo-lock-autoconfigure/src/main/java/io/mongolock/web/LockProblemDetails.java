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
 * Answers contention with 409, and trouble with the store or an attempt that was aborted
 * with 503, as problem details (RFC 9457) with {@code Retry-After}, on servlets and
 * reactive. Strangers do not learn who holds the lock; the log and the exception say it.
 * A lock that was lost is none of these: work was done, so it stays the application's to
 * answer. Thread-safe.
 */
@RestControllerAdvice
@Order(0) // as Spring Boot's own, before an unordered handler of all exceptions
public final class LockProblemDetails {

	/** A request that comes again later than that is rarely worth its answer. */
	private static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(30);

	private static final Duration RETRY_STORE_AFTER = Duration.ofSeconds(5);

	/**
	 * The lock is held by others.
	 */
	@ExceptionHandler
	public ResponseEntity<ProblemDetail> held(LockUnavailableException ex) {
		return answer(HttpStatus.CONFLICT, "Locked",
				"Another request is already processing this resource. Try again later.", retryAfter(ex.getHolders()));
	}

	/**
	 * The store could not be asked, or the wait ended early: the application stops, or
	 * the thread was interrupted.
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

	// Work that has lasted long lasts for about as long again, and a lease ends by itself
	// if its holder has died
	private static Duration expected(LockHolder holder) {
		return (holder.heldFor().compareTo(holder.remaining()) < 0) ? holder.heldFor() : holder.remaining();
	}

}
