package io.mongolock.documents;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

import io.mongolock.documents.ProgramEntries.Entry;

/**
 * What a program may rely on: the marks of all writes that were acknowledged, and who has
 * which lock.
 */
final class ProgramModel {

	private ProgramModel() {
	}

	/**
	 * A document as it has to be stored.
	 */
	static final class Stored {

		final String id;

		final Class<? extends Entry> type;

		boolean exists = true;

		/** Marks that have to be there, and no others. */
		Set<Integer> marks = new TreeSet<>();

		/** Marks in a field that no entity maps. */
		final Set<Integer> unmapped = new TreeSet<>();

		String text;

		/** How often anything but its lock was written. */
		int writes;

		/** The fence of the holder, {@code null} for none. */
		@Nullable Long holder;

		/** Whether a transaction that is not over has closed it. */
		boolean closing;

		/** All that was ever held of it. */
		final List<Held> held = new ArrayList<>();

		final List<Ticket> tickets = new ArrayList<>();

		Stored(String id, Class<? extends Entry> type, String text) {
			this.id = id;
			this.type = type;
			this.text = text;
		}

		/**
		 * An entity is stored.
		 * @param entity the entity, which must have seen all that was stored before
		 */
		void saved(Entry entity) {
			saved(entity.log(), entity.text());
		}

		void saved(List<Integer> log, String text) {
			require(log, "is overwritten");
			this.marks = new TreeSet<>(log);
			// It replaces the whole document
			this.unmapped.clear();
			this.text = text;
			this.writes++;
		}

		void pushed(int mark) {
			this.marks.add(mark);
			this.writes++;
		}

		void deleted(Entry entity) {
			require(entity.log(), "is deleted");
			this.marks.clear();
			this.unmapped.clear();
			this.exists = false;
			this.writes++;
			robbed();
		}

		private void require(List<Integer> log, String what) {
			for (Integer mark : this.marks) {
				if (!log.contains(mark)) {
					throw new AssertionError(
							"a lost update of " + this.id + ": mark " + mark + ", which nobody has seen, " + what);
				}
			}
		}

		/**
		 * The lock is gone, and its holder learns that by its next request.
		 */
		void robbed() {
			this.holder = null;
			this.held.forEach((held) -> held.robbed = true);
		}

		/**
		 * The field of the lock is gone, so fences begin anew.
		 */
		void forgotten() {
			robbed();
			this.held.forEach((held) -> held.dead = true);
			this.tickets.forEach((ticket) -> ticket.dead = true);
		}

	}

	enum Status {

		OPEN, WRITTEN, OVER, PASSED_ON, UNKNOWN

	}

	/**
	 * What a thread has of a lock.
	 */
	static final class Held {

		final LockedDocument<? extends Entry> locked;

		final ProgramThread thread;

		final Stored document;

		final boolean resumed;

		/** The version that it has seen. */
		long base;

		/** How often it had been written then. */
		int writes;

		Status status = Status.OPEN;

		boolean robbed;

		boolean dead;

		boolean closing;

		/** Whether it has written it in a transaction that is not over. */
		boolean uncommitted;

		/**
		 * Whether it was granted or closed in a transaction, which may have undone it.
		 */
		boolean unsure;

		Held(LockedDocument<? extends Entry> locked, ProgramThread thread, Stored document, boolean resumed,
				long base) {
			this.locked = locked;
			this.thread = thread;
			this.document = document;
			this.resumed = resumed;
			this.base = base;
			this.writes = document.writes;
		}

		boolean isHolder() {
			Long holder = this.document.holder;
			return !this.dead && holder != null && holder == this.locked.fence();
		}

		boolean isOpen() {
			return this.status == Status.OPEN;
		}

	}

	/**
	 * A ticket, and what it stands for.
	 */
	static final class Ticket {

		LockTicket ticket;

		final long fence;

		long version;

		/** How often the document had been written when it was seen. */
		int writes;

		boolean dead;

		Ticket(LockTicket ticket, HeldDocument<?> held, int writes) {
			this.ticket = ticket;
			this.fence = held.fence();
			this.version = held.loaded().version();
			this.writes = writes;
		}

		boolean isHolder(Stored document) {
			return !this.dead && document.holder != null && document.holder == this.fence;
		}

	}

	/**
	 * A transaction that is not over.
	 */
	static final class Transaction {

		final TransactionStatus status;

		/** What others cannot write until it ends. */
		final Set<Stored> busy = new HashSet<>();

		/** What it has written by the template. */
		final Set<Stored> plain = new HashSet<>();

		/** What it keeps from its beginning, and can be saved for certain. */
		final Set<Held> kept = new HashSet<>();

		/** What was locked or closed in it, without which it is not committed. */
		final List<Held> relied = new ArrayList<>();

		final List<Runnable> commits = new ArrayList<>();

		final List<Runnable> undoes = new ArrayList<>();

		/** Whether MongoDB has ended it. */
		boolean ended;

		/**
		 * Whether all that it keeps was held when it began, so that it has to be
		 * committed.
		 */
		boolean sound = true;

		Transaction(TransactionStatus status) {
			this.status = status;
		}

	}

}
