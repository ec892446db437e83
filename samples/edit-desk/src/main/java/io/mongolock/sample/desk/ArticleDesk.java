package io.mongolock.sample.desk;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.stereotype.Service;

import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.mongodb.LockTicket;
import io.mongolock.mongodb.LockedDocument;
import io.mongolock.mongodb.OptimisticUpdater;

/**
 * The article, which one person at a time edits. The lock is passed to the page as a
 * ticket, so that it outlives the request and may come back to any instance.
 */
@Service
class ArticleDesk {

	private static final String ID = "welcome";

	private final MongoTemplate mongo;

	private final DocumentLockOperations documents;

	private final FencedWrites fenced;

	private final OptimisticUpdater updater;

	private final LockSettings editing;

	ArticleDesk(MongoTemplate mongo, DocumentLockOperations documents, FencedWrites fenced, OptimisticUpdater updater,
			EditDeskProperties properties) {
		this.mongo = mongo;
		this.documents = documents;
		this.fenced = fenced;
		this.updater = updater;
		this.editing = LockSettings.builder().ttl(properties.editingTime()).build();
		updater.updateOrCreate(Article.class, ID,
				() -> new Article(ID, null, "Welcome", "Edit me, in two windows at the same time."),
				UnaryOperator.identity());
		mongo.upsert(Query.query(Criteria.where("article").is(ID)), new Update().setOnInsert("fence", 0L),
				Editor.class);
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
		return begin(name, this.documents.lock(Article.class, ID, this.editing));
	}

	/**
	 * Take the article over from the one who edits it, unless that is another by now.
	 * @param name who edits from here on
	 * @param fence the number of the lock that was shown
	 * @return the article and the ticket for its lock
	 */
	Editing takeOver(String name, long fence) {
		return begin(name, this.documents.takeOver(Article.class, ID, fence, this.editing));
	}

	private Editing begin(String name, LockedDocument<Article> begun) {
		try (LockedDocument<Article> locked = begun) {
			// No late editor can overwrite the name of the next one
			this.fenced.update(locked.handle(), Query.query(Criteria.where("article").is(ID)),
					Update.update("name", name), Editor.class);
			return new Editing(locked.ticket().text(), locked.fence(), locked.entity());
		}
	}

	/**
	 * Begin the time for editing anew.
	 * @param ticket the ticket
	 */
	void renew(String ticket) {
		this.documents.renew(Article.class, LockTicket.of(ticket));
	}

	/**
	 * Save the article and release its lock, unless somebody else has taken it over or
	 * changed it since it was shown.
	 * @param ticket the ticket
	 * @param title the new title
	 * @param text the new text
	 * @return the article as it is saved
	 */
	Article save(String ticket, String title, String text) {
		LockTicket own = LockTicket.of(ticket);
		try {
			LockedDocument<Article> locked = this.documents.resume(Article.class, own);
			return locked.save(locked.entity().with(title, text));
		}
		catch (LockLostException ex) {
			Article stored = article();
			if (!stored.title().equals(title) || !stored.text().equals(text)) {
				throw ex;
			}
			// A second click, or a request that was sent again
			this.documents.release(Article.class, own);
			return stored;
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
	void cancel(String ticket) {
		this.documents.release(Article.class, LockTicket.of(ticket));
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
		return new Holder(nameOf(holder.getLong("fence")), holder.getLong("fence"),
				Math.max(0, ends.toEpochMilli() - found.getDate("now").getTime()));
	}

	private String nameOf(long fence) {
		Editor editor = this.mongo.findById(ID, Editor.class);
		return (editor != null && editor.name() != null && editor.fence() == fence) ? editor.name() : "Somebody";
	}

	/**
	 * What one who edits has.
	 *
	 * @param ticket proves that the editor has the lock
	 * @param fence the number of the lock
	 * @param article the article as it stood at that moment
	 */
	record Editing(String ticket, long fence, Article article) {
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
