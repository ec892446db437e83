package io.mongolock.test.embedded;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.CursorNotFoundException;
import io.netty.channel.EventLoop;

/**
 * A {@code getMore} on a change stream: the answer has the next events, or is empty when
 * the time is over. Only the event loop of its connection looks at the stream; other
 * threads only make it look.
 */
final class PendingGetMore {

	private static final int DEFAULT_MILLIS = 1_000;

	private static final int DEFAULT_BATCH_SIZE = 1_000;

	private final ChangeStream stream;

	private final Document command;

	private final CursorRegistry cursors;

	private final ChangeLog log;

	private final EventLoop loop;

	private final CompletableFuture<Document> reply = new CompletableFuture<>();

	private final AtomicBoolean looking = new AtomicBoolean();

	private final Runnable listener = this::lookSoon;

	PendingGetMore(ChangeStream stream, Document command, CursorRegistry cursors, ChangeLog log, EventLoop loop) {
		this.stream = stream;
		this.command = command;
		this.cursors = cursors;
		this.log = log;
		this.loop = loop;
	}

	/**
	 * Begin to wait.
	 * @return the answer, which may be there at once
	 */
	CompletableFuture<Document> start() {
		this.log.addListener(this.listener);
		this.reply.whenComplete((document, failure) -> this.log.removeListener(this.listener));
		look();
		if (!this.reply.isDone()) {
			this.loop.schedule(() -> answer(List.of()), number("maxTimeMS", DEFAULT_MILLIS), TimeUnit.MILLISECONDS);
		}
		return this.reply;
	}

	private void lookSoon() {
		if (this.looking.compareAndSet(false, true)) {
			this.loop.execute(this::look);
		}
	}

	private void look() {
		this.looking.set(false);
		if (this.reply.isDone()) {
			return;
		}
		try {
			checkAlive();
			List<Document> batch = this.stream.takeDocuments(Math.max(1, number("batchSize", DEFAULT_BATCH_SIZE)));
			if (!batch.isEmpty()) {
				answer(batch);
			}
		}
		catch (RuntimeException ex) {
			this.cursors.remove(this.stream);
			this.reply.complete(Replies.error(ex));
		}
	}

	private void checkAlive() {
		try {
			this.cursors.getCursor(this.stream.getId());
		}
		catch (CursorNotFoundException ex) {
			throw ServerErrors.cursorKilled("cursor " + this.stream.getId() + " was killed while it was waited for");
		}
	}

	private void answer(List<Document> batch) {
		if (this.reply.isDone()) {
			return;
		}
		if (this.stream.isEmpty()) {
			this.cursors.remove(this.stream);
		}
		this.reply.complete(this.stream.reply("nextBatch", batch));
	}

	private int number(String name, int otherwise) {
		return (this.command.get(name) instanceof Number number) ? number.intValue() : otherwise;
	}

}
