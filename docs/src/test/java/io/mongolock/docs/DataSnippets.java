package io.mongolock.docs;

import java.util.List;
import java.util.Optional;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

import io.mongolock.LockHolder;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.data.RetriedConflicts;
import io.mongolock.data.Sequence;
import io.mongolock.data.SequenceRange;
import io.mongolock.data.Sequences;
import io.mongolock.documents.DocumentLock;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.OptimisticUpdater;

/**
 * The Java of the documents on the application's own documents, so that it is compiled.
 */
public class DataSnippets {

	private final Sequences sequences;

	private final OptimisticUpdater updates;

	private final DocumentLockOperations documents;

	public DataSnippets(Sequences sequences, OptimisticUpdater updates, DocumentLockOperations documents) {
		this.sequences = sequences;
		this.updates = updates;
		this.documents = documents;
	}

	long number() {
		long number = this.sequences.next("invoice");
		return number;
	}

	SequenceRange numbers() {
		SequenceRange numbers = this.sequences.next("invoice", 100);
		return numbers;
	}

	void imported() {
		this.sequences.raiseTo("invoice", 25000);
	}

	Optional<Order> updated(String id) {
		Optional<Order> saved = this.updates.update(Order.class, id, (order) -> order.add(1));
		return saved;
	}

	Order updatedOrCreated(String id) {
		Order saved = this.updates.updateOrCreate(Order.class, id, () -> new Order(id, 0, null),
				(order) -> order.add(1));
		return saved;
	}

	@Retryable(predicate = RetriedConflicts.class, maxRetries = 9, delay = 10, multiplier = 2, maxDelay = 1000,
			jitter = 10)
	@Transactional
	public void move(String from, String to, int count) {
		this.updates.update(Order.class, from, (order) -> order.add(-count));
		this.updates.update(Order.class, to, (order) -> order.add(count));
	}

	void edited(String id, String text) {
		try (LockedDocument<Article> locked = this.documents.lock(Article.class, id)) {
			Article article = locked.entity();
			locked.save(article.withText(text));
		}
	}

	boolean tried(String id) {
		Optional<LockedDocument<Article>> free = this.documents.tryLock(Article.class, id);
		return free.isPresent();
	}

	void autosaved(LockedDocument<Article> locked, String draft, String text) {
		Article saved = locked.saveAndKeep(locked.entity().withText(draft));
		locked.save(saved.withText(text));
	}

	@DistributedLock(document = Article.class, key = "#id")
	public void edit(String id, String text, LockedDocument<Article> locked) {
		locked.save(locked.entity().withText(text));
	}

	List<Object> overview(String id) {
		List<DocumentLock> edited = this.documents.list(Article.class);
		Optional<DocumentLock> editor = this.documents.find(Article.class, id);
		Optional<LockHolder> thrownOut = this.documents.breakLock(Article.class, id);
		return List.of(edited, editor, thrownOut);
	}

	record Article(@Id String id, String text, @Version Long version) {

		Article withText(String text) {
			return new Article(this.id, text, this.version);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Transactions {

		@Bean
		MongoTransactionManager transactionManager(MongoDatabaseFactory database) {
			return new MongoTransactionManager(database);
		}

	}

	record Order(@Id String id, int items, @Version Long version) {

		Order add(int count) {
			return new Order(this.id, this.items + count, this.version);
		}

	}

	record Ticket(@Id String id, @Sequence("ticket") long number) {

	}

}
