package io.mongolock.test.embedded;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;

/**
 * A statement that waits for a transaction to end. It is tried each time that a
 * transaction ends, until its own time is over or its client is gone. Only the event loop
 * of its connection runs it; other threads only make the event loop try.
 */
final class PendingStatement {

	private final Supplier<Document> statement;

	private final Transactions transactions;

	private final Channel channel;

	private final CompletableFuture<Document> reply = new CompletableFuture<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	private final Runnable listener = this::lookSoon;

	PendingStatement(Supplier<Document> statement, Transactions transactions, Channel channel) {
		this.statement = statement;
		this.transactions = transactions;
		this.channel = channel;
	}

	/**
	 * Begin to wait.
	 * @param maxMillis for how long, 0 for as long as it takes
	 * @return the answer
	 */
	CompletableFuture<Document> start(long maxMillis) {
		this.transactions.addListener(this.listener);
		this.reply.whenComplete((document, failure) -> this.transactions.removeListener(this.listener));
		this.channel.closeFuture().addListener((closed) -> this.reply.cancel(false));
		look();
		if (!this.reply.isDone() && maxMillis > 0) {
			this.channel.eventLoop().schedule(this::expire, maxMillis, TimeUnit.MILLISECONDS);
		}
		return this.reply;
	}

	private void expire() {
		this.reply.complete(Replies.error(ServerErrors.maxTimeExpired()));
	}

	private void lookSoon() {
		if (this.looking.compareAndSet(false, true)) {
			this.channel.eventLoop().execute(this::look);
		}
	}

	private void look() {
		this.looking.set(false);
		if (this.reply.isDone()) {
			return;
		}
		try {
			this.reply.complete(this.statement.get());
		}
		catch (AwaitsTransaction ex) {
			// wait until the next transaction ends
		}
		catch (RuntimeException ex) {
			this.reply.complete(Replies.error(ex));
		}
	}

}
