package io.mongolock.docs;

import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.documents.DocumentChangedException;
import io.mongolock.documents.DocumentEditor;
import io.mongolock.documents.DocumentLock;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockTicket;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.NoSuchDocumentException;

/**
 * The page of an editor, as docs/document-locks.md shows it.
 */
class ArticlePage {

	private final MongoTemplate mongo;

	private final DocumentLockOperations documents;

	ArticlePage(MongoTemplate mongo, DocumentLockOperations documents) {
		this.mongo = mongo;
		this.documents = documents;
	}

	Page read(String id) {
		Optional<DocumentEditor> editor = this.documents.find(Article.class, id).map(DocumentLock::editor);
		return new Page(this.mongo.findById(id, Article.class), null, editor.orElse(null));
	}

	Page open(String id, String user, @Nullable Long fence) {
		LockSettings as = LockSettings.builder().as(user).build();
		LockedDocument<Article> locked = (fence != null) ? this.documents.takeOver(Article.class, id, fence, as)
				: this.documents.lock(Article.class, id, as);
		return new Page(locked.entity(), locked.ticket(), null);
	}

	Page draft(String id, LockTicket ticket, long number, String text) {
		try (LockedDocument<Article> locked = this.documents.resume(Article.class, id, ticket.draft(number))) {
			locked.saveAndKeep(locked.entity().withText(text));
			return new Page(locked.entity(), locked.ticket(), null);
		}
	}

	Article save(String id, LockTicket ticket, long number, String text) {
		try (LockedDocument<Article> locked = this.documents.resume(Article.class, id, ticket.draft(number))) {
			return locked.save(locked.entity().withText(text));
		}
	}

	void heartbeat(String id, LockTicket ticket) {
		this.documents.renew(Article.class, id, ticket);
	}

	void cancel(String id, LockTicket ticket) {
		this.documents.release(Article.class, id, ticket);
	}

	record Page(@Nullable Article article, @Nullable LockTicket ticket, @Nullable DocumentEditor editor) {

	}

	@ControllerAdvice
	static class EditErrors {

		@ExceptionHandler
		ResponseEntity<Page> changed(DocumentChangedException ex) {
			return ResponseEntity.status(409).body(new Page(ex.getDocument(Article.class), ex.getTicket(), null));
		}

		@ExceptionHandler({ LockLostException.class, LockUnavailableException.class, NoSuchDocumentException.class })
		ResponseEntity<Void> notYours() {
			return ResponseEntity.status(423).build();
		}

	}

	record Article(@Id String id, String text, @Version @Nullable Long version) {

		Article withText(String text) {
			return new Article(this.id, text, this.version);
		}

	}

}
