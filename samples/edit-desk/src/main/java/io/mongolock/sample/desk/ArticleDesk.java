package io.mongolock.sample.desk;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.stereotype.Service;

import io.mongolock.LockSettings;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockTicket;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.OptimisticUpdater;

/**
 * The article, which one person at a time edits. The lock is passed to the page as a
 * ticket, so that it outlives the request and may come back to any instance.
 */
@Service
class ArticleDesk {

	private static final String ID = "welcome";

	private final MongoTemplate mongo;

	private final DocumentLockOperations documents;

	private final OptimisticUpdater updater;

	private final Duration editingTime;

	ArticleDesk(MongoTemplate mongo, DocumentLockOperations documents, OptimisticUpdater updater,
			EditDeskProperties properties) {
		this.mongo = mongo;
		this.documents = documents;
		this.updater = updater;
		this.editingTime = properties.editingTime();
		updater.updateOrCreate(Article.class, ID,
				() -> new Article(ID, null, "Welcome", "Edit me, in two windows at the same time."),
				UnaryOperator.identity());
	}

	/**
	 * The article as it stands.
	 * @return the article
	 */
	Article article() {
		return Objects.requireNonNull(this.mongo.findById(ID, Article.class));
	}

	/**
	 * Lock the article, or take it over from one whose time is over.
	 * @param name who edits
	 * @return the article and the ticket for its lock
	 */
	Editing edit(String name) {
		return editing(this.documents.lock(Article.class, ID, as(name)));
	}

	/**
	 * Take the article over from the one who edits it, unless that is another by now.
	 * @param name who edits from here on
	 * @param fence the number of the lock that was shown
	 * @return the article and the ticket for its lock
	 */
	Editing takeOver(String name, long fence) {
		return editing(this.documents.takeOver(Article.class, ID, fence, as(name)));
	}

	private LockSettings as(String name) {
		return LockSettings.builder().as(name).ttl(this.editingTime).build();
	}

	private static Editing editing(LockedDocument<Article> locked) {
		return new Editing(locked.ticket(), locked.fence(), locked.entity());
	}

	/**
	 * Begin the time for editing anew.
	 * @param ticket the ticket
	 */
	void renew(LockTicket ticket) {
		this.documents.renew(Article.class, ID, ticket);
	}

	/**
	 * Save the article and keep its lock, unless somebody else has taken it over or
	 * changed it since it was shown.
	 * @param ticket the ticket, with the number of the draft
	 * @param title the new title
	 * @param text the new text
	 * @return the article as it is saved, and its next ticket
	 */
	Editing draft(LockTicket ticket, String title, String text) {
		try (LockedDocument<Article> locked = this.documents.resume(Article.class, ID, ticket)) {
			locked.saveAndKeep(locked.entity().with(title, text));
			return editing(locked);
		}
	}

	/**
	 * Save the article and release its lock, unless somebody else has taken it over or
	 * changed it since it was shown.
	 * @param ticket the ticket, with the number of a draft that may have been saved
	 * @param title the new title
	 * @param text the new text
	 * @return the article as it is saved
	 */
	Article save(LockTicket ticket, String title, String text) {
		try (LockedDocument<Article> locked = this.documents.resume(Article.class, ID, ticket)) {
			return locked.save(locked.entity().with(title, text));
		}
	}

	/**
	 * Change the article in the background while somebody edits it, as a job of the
	 * application does that knows nothing of the lock. The editor learns of it, and sees
	 * both texts.
	 */
	void review() {
		this.updater.update(Article.class, ID,
				(article) -> article.with(article.title(), article.text() + "\n\nReviewed."));
	}

	/**
	 * Release the lock and change nothing.
	 * @param ticket the ticket
	 */
	void cancel(LockTicket ticket) {
		this.documents.release(Article.class, ID, ticket);
	}

	/**
	 * The person who edits the article.
	 * @return who, {@code null} if nobody does
	 */
	@Nullable Holder holder() {
		Document found = Objects.requireNonNull(this.mongo.execute(Article.class,
				(articles) -> articles.find(new Document("_id", ID))
					.projection(new Document("lock.holders", 1).append("now", "$$NOW"))
					.first()));
		Document lock = found.get("lock", Document.class);
		List<Document> holders = (lock != null) ? lock.getList("holders", Document.class, List.of()) : List.of();
		if (holders.isEmpty()) {
			return null;
		}
		Document holder = holders.get(0);
		Instant ends = holder.getDate("renewedAt").toInstant().plusMillis(holder.get("ttl", Number.class).longValue());
		return new Holder(holder.get("owner", Document.class).getString("as"), holder.getLong("fence"),
				Math.max(0, ends.toEpochMilli() - found.getDate("now").getTime()));
	}

	/**
	 * What one who edits has.
	 *
	 * @param ticket proves that the editor has the lock
	 * @param fence the number of the lock
	 * @param article the article as it stood at that moment
	 */
	record Editing(LockTicket ticket, long fence, Article article) {
	}

	/**
	 * The person who edits.
	 *
	 * @param name the name of the editor
	 * @param fence the number of the lock
	 * @param millis how long the lock still lasts by the server's clock; zero if anybody
	 * may take over
	 */
	record Holder(String name, long fence, long millis) {
	}

}
