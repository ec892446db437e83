package io.mongolock.docs;

import java.util.Optional;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

import io.mongolock.mongodb.OptimisticUpdater;
import io.mongolock.mongodb.Sequence;
import io.mongolock.mongodb.SequenceRange;
import io.mongolock.mongodb.Sequences;

/**
 * The Java of the documents on the application's own documents, so that it is compiled.
 */
public class DataSnippets {

	private final Sequences sequences;

	private final OptimisticUpdater updates;

	public DataSnippets(Sequences sequences, OptimisticUpdater updates) {
		this.sequences = sequences;
		this.updates = updates;
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

	@Retryable(includes = ConcurrencyFailureException.class, maxRetries = 9, delay = 10, multiplier = 2,
			maxDelay = 1000, jitter = 10)
	@Transactional
	public void move(String from, String to, int count) {
		this.updates.update(Order.class, from, (order) -> order.add(-count));
		this.updates.update(Order.class, to, (order) -> order.add(count));
	}

	record Order(@Id String id, int items, @Version Long version) {

		Order add(int count) {
			return new Order(this.id, this.items + count, this.version);
		}

	}

	record Ticket(@Id String id, @Sequence("ticket") long number) {

	}

}
