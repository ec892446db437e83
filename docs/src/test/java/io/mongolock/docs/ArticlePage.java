package io.mongolock.docs;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockHolder;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.mongodb.DocumentChangedException;
import io.mongolock.mongodb.DocumentLock;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.LockTicket;
import io.mongolock.mongodb.LockedDocument;

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

	Page open(String id, String user) {
		try (LockedDocument<Article> locked = this.documents.lock(Article.class, id, settings(user))) {
			return editing(locked);
		}
		catch (LockUnavailableException ex) {
			return reading(id); // says who edits it
		}
	}

	Page draft(String id, LockTicket ticket, String text) {
		try (LockedDocument<Article> locked = this.documents.resume(Article.class, ticket)) {
			locked.saveAndKeep(locked.entity().withText(text));
			return editing(locked); // with a new ticket
		}
		catch (DocumentChangedException ex) {
			return changed(text, ex);
		}
		catch (LockLostException ex) {
			return reading(id).withUnsaved(text);
		}
	}

	Page save(String id, LockTicket ticket, String text) {
		try (LockedDocument<Article> locked = this.documents.resume(Article.class, ticket)) {
			locked.save(locked.entity().withText(text));
			return reading(id);
		}
		catch (DocumentChangedException ex) {
			return changed(text, ex);
		}
		catch (LockLostException ex) {
			return reading(id).withUnsaved(text);
		}
	}

	void heartbeat(LockTicket ticket) {
		this.documents.renew(Article.class, ticket);
	}

	void cancel(LockTicket ticket) {
		this.documents.release(Article.class, ticket);
	}

	private Page editing(LockedDocument<Article> locked) {
		return new Page(locked.entity(), locked.ticket(), null, null);
	}

	private Page changed(String text, DocumentChangedException ex) {
		// You still hold the lock
		return new Page(ex.getDocument(Article.class), ex.getTicket(), null, null).withUnsaved(text);
	}

	private LockSettings settings(String user) {
		return LockSettings.builder().as(user).ttl(Duration.ofMinutes(30)).waitTimeout(Duration.ZERO).build();
	}

	Page takeOver(String id, String user, long fence) { // the fence of page.editor()
		try (LockedDocument<Article> locked = this.documents.takeOver(Article.class, id, fence, settings(user))) {
			return editing(locked);
		}
		catch (LockUnavailableException ex) {
			return reading(id); // somebody else was faster
		}
	}

	private Page reading(String id) {
		Article article = this.mongo.findById(id, Article.class);
		LockHolder editor = this.documents.find(Article.class, id).map(DocumentLock::holder).orElse(null);
		return new Page(article, null, editor, null);
	}

	/**
	 * The page as it is shown.
	 *
	 * @param article as it stands, {@code null} if it was deleted
	 * @param ticket for who edits, a hidden field
	 * @param editor the other who edits
	 * @param unsaved what was not saved, to be shown beside the article
	 */
	record Page(@Nullable Article article, @Nullable LockTicket ticket, @Nullable LockHolder editor,
			@Nullable String unsaved) {

		// A second click, or a request that was sent again, finds its own text
		Page withUnsaved(String text) {
			if (this.article != null && this.article.text().equals(text)) {
				return this;
			}
			return new Page(this.article, this.ticket, this.editor, text);
		}

	}

	record Article(@Id String id, String text, @Version @Nullable Long version) {

		Article withText(String text) {
			return new Article(this.id, text, this.version);
		}

	}

}
