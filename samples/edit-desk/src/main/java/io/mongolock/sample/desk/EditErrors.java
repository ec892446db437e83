package io.mongolock.sample.desk;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.mongolock.LockLostException;
import io.mongolock.LockUnavailableException;
import io.mongolock.documents.DocumentChangedException;

/**
 * What the page is told if it cannot go on. A ticket that is none is a 400 without this.
 */
@RestControllerAdvice
class EditErrors {

	private final ArticleDesk desk;

	EditErrors(ArticleDesk desk) {
		this.desk = desk;
	}

	// Still the editor's: the ticket that comes along goes on from what is shown now
	@ExceptionHandler
	ProblemDetail changed(DocumentChangedException ex) {
		ProblemDetail problem = problem(HttpStatus.CONFLICT, "Changed since it was opened: nothing was saved", ex);
		problem.setProperty("theirs", ex.getDocument(Article.class));
		problem.setProperty("ticket", ex.getTicket());
		return problem;
	}

	// The article as the others left it comes along, so that the page can show both
	@ExceptionHandler
	ProblemDetail overtaken(LockLostException ex) {
		ProblemDetail problem = problem(HttpStatus.LOCKED, "Overtaken: nothing was saved", ex);
		problem.setProperty("theirs", this.desk.article());
		return problem;
	}

	@ExceptionHandler
	ProblemDetail another(LockUnavailableException ex) {
		return problem(HttpStatus.LOCKED, "Somebody else edits", ex);
	}

	@ExceptionHandler
	ProblemDetail malformed(IllegalArgumentException ex) {
		return problem(HttpStatus.BAD_REQUEST, "Not understood", ex);
	}

	private static ProblemDetail problem(HttpStatus status, String title, RuntimeException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(ex.getMessage()));
		problem.setTitle(title);
		return problem;
	}

}
