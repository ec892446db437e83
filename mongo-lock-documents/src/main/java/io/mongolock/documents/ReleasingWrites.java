package io.mongolock.documents;

import java.time.Duration;
import java.util.Optional;

import com.mongodb.WriteConcern;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.Assert;

import io.mongolock.documents.EntityWriter.Loaded;
import io.mongolock.documents.EntityWriter.Written;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.StoreFailures;
import io.mongolock.store.mongo.TemplateFailures;
import io.mongolock.store.mongo.TimedStatements;

/**
 * Writes documents, and releases or renews their locks, through the application's
 * template. Both are then part of its transaction, if there is one. Thread-safe.
 *
 * @param template the application's template
 * @param tickets sends requests for locks, outside of any transaction
 * @param database the only database of the documents
 * @param transactions know which thread has written which document
 * @param timeout how long a statement may take outside of a transaction
 */
record ReleasingWrites(MongoTemplate template, DocumentTickets tickets, SingleDatabase database,
		DocumentTransactions transactions, Duration timeout) implements HeldDocument.Writes {

	@Override
	public <T> T save(HeldDocument<T> held, T entity, boolean keep) {
		this.database.check();
		Assert.notNull(entity,
				() -> "The entity for the " + held + " is null. Call locked.delete() to delete the document, or "
						+ "locked.close() to leave it unchanged");
		LockedType<T> type = held.type();
		EntityWriter writer = type.writer();
		Loaded<T> before = held.requireVersion(entity, type.version(entity, held.key()));
		Written<T> written = writer.write(entity);
		write(held, ReleasingWrite.save(held.proof(), keep, writer, written), written.takeBack());
		// Copied now, because callbacks may change the written document
		Loaded<T> stored = writer.loaded(before, written);
		held.content().set(before, stored);
		T saved = writer.saved(written);
		held.content().set(stored, new Loaded<>(saved, stored.stored(), stored.version()));
		return saved;
	}

	@Override
	public void delete(HeldDocument<?> held) {
		this.database.check();
		LockedType<?> type = held.type();
		ReleasingWrite deletion = ReleasingWrite.delete(held.proof(), type.writer().field(),
				new Document(type.versionField(), held.loaded().version()));
		type.delete(held.proof().key(), () -> write(held, deletion, () -> {
		}));
	}

	private void write(HeldDocument<?> held, ReleasingWrite write, Runnable takeBack) {
		Runnable renewal;
		try {
			Optional<DocumentTransaction> transaction = DocumentTransaction.around(this.template,
					"The " + held + " cannot be written");
			renewal = held.beginWrite(transaction.orElse(null));
			// Another thread of this instance may have locked the document
			this.transactions.add(held);
			send(held, write, transaction.isPresent());
		}
		catch (RuntimeException | Error ex) {
			takeBack.run();
			throw ex;
		}
		held.written(write.releases(), renewal, takeBack);
	}

	private void send(HeldDocument<?> held, ReleasingWrite write, boolean inTransaction) {
		boolean matched;
		try {
			matched = Boolean.TRUE.equals(new TimedStatements(this.template, this.timeout)
				.execute(held.type().collection(), (documents) -> write.run(documents, WriteConcern.MAJORITY)));
		}
		catch (RuntimeException | Error ex) {
			boolean unwritten = StoreFailures.isUnwritten(ex);
			if (unwritten) {
				held.notWritten();
			}
			else {
				held.unanswered();
			}
			if (ex instanceof RuntimeException failure) {
				throw (unwritten || inTransaction) ? TemplateFailures.conflict(failure, held.toString())
						: TemplateFailures.unknown(failure, held.toString(), this.timeout,
								"Either the write has released the lock, or the lock runs out by itself. To find out, "
										+ "call resume(type, id, locked.ticket()), which also shows the stored "
										+ "document");
			}
			throw ex;
		}
		if (!matched) {
			throw refused(held);
		}
	}

	private RuntimeException refused(HeldDocument<?> held) {
		LeaseProof proof = held.proof();
		Optional<StoredLock> lock;
		try {
			lock = this.tickets.look(proof.key());
		}
		catch (RuntimeException ex) {
			held.notWritten();
			return ex;
		}
		if (lock.flatMap((seen) -> proof.holder(seen.holders())).isEmpty()) {
			held.refused();
			return DocumentTickets.gone(proof, lock, ". Nothing was written");
		}
		held.notWritten();
		return changed(held).orElseGet(() -> new OptimisticLockingFailureException(held.type().describe(proof.key())
				+ " was not written, because the transaction around this code had already read data before the lock "
				+ "was granted. Lock the document before the transaction begins"));
	}

	private <T> Optional<RuntimeException> changed(HeldDocument<T> held) {
		LeaseProof proof = held.proof().at(held.loaded().version());
		return this.tickets.load(proof.lease())
			.filter((document) -> held.type().version(document) != proof.version())
			.map((document) -> DocumentChangedException.of(proof, held.isResumed(), held.type(), document));
	}

	@Override
	public <T> Loaded<T> reload(HeldDocument<T> held) {
		this.database.check();
		@Nullable BsonDocument document = this.tickets.load(held.proof().lease()).orElse(null);
		if (document == null) {
			held.refused();
			throw DocumentTickets.gone(held.proof(), this.tickets.look(held.key()), "");
		}
		return held.type().read(document);
	}

}
