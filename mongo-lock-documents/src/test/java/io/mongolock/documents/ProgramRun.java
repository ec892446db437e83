package io.mongolock.documents;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.StaleFenceException;
import io.mongolock.documents.DocumentProgram.Kind;
import io.mongolock.documents.DocumentProgram.Step;
import io.mongolock.documents.ProgramEntries.Card;
import io.mongolock.documents.ProgramEntries.Entry;
import io.mongolock.documents.ProgramEntries.Page;
import io.mongolock.documents.ProgramEntries.Sheet;
import io.mongolock.documents.ProgramModel.Held;
import io.mongolock.documents.ProgramModel.Status;
import io.mongolock.documents.ProgramModel.Stored;
import io.mongolock.documents.ProgramModel.Ticket;
import io.mongolock.documents.ProgramModel.Transaction;
import io.mongolock.documents.ProgramThread.Frame;
import io.mongolock.documents.ProgramThread.Outcome;
import io.mongolock.documents.ProgramThread.Seen;

/**
 * Runs a program, and compares each answer, and what is stored after each step, with what
 * may be.
 */
final class ProgramRun implements AutoCloseable {

	private static final Duration TTL = Duration.ofMinutes(30);

	private static final Duration MORE_THAN_TTL = Duration.ofHours(1);

	/** How long an end in the background may take. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

	/** For as long as a busy machine may take, and as what has to be refused is worth. */
	private static final LockSettings FREE = settings(Duration.ofSeconds(20));

	private static final LockSettings TAKEN = settings(Duration.ofMillis(30));

	private final ProgramWorld world;

	private final List<ProgramThread> threads;

	private final List<Stored> documents = new ArrayList<>();

	private final List<String> trace = new ArrayList<>();

	private int marks;

	ProgramRun(ProgramWorld world, long number) {
		this.world = world;
		this.threads = List.of(new ProgramThread("here-1", world.here), new ProgramThread("here-2", world.here),
				new ProgramThread("there-1", world.there), new ProgramThread("there-2", world.there));
		for (Class<? extends Entry> type : ProgramWorld.TYPES) {
			Stored document = new Stored(type.getSimpleName().toLowerCase(Locale.ROOT) + number, type, "old");
			this.documents.add(document);
			this.world.insert(entry(document, List.of(), document.text));
			this.world.write(document.id, type, new Document("$rename", new Document("text", ProgramWorld.OLD_TEXT)));
		}
	}

	/**
	 * Run a program.
	 * @param world where
	 * @param number tells its documents from others
	 * @param program the program
	 * @return what was done and went wrong, empty if nothing did
	 */
	static Optional<String> failure(ProgramWorld world, long number, DocumentProgram program) {
		ProgramRun run = new ProgramRun(world, number);
		try (run) {
			program.steps().forEach(run::make);
			run.end();
			return Optional.empty();
		}
		catch (AssertionError | RuntimeException ex) {
			StringBuilder said = new StringBuilder();
			run.trace.forEach((line) -> said.append("  ").append(line).append('\n'));
			said.append("  => ").append(ex).append('\n');
			Stream.of(ex.getStackTrace()).limit(12).forEach((at) -> said.append("       ").append(at).append('\n'));
			return Optional.of(said.toString());
		}
	}

	private static Entry entry(Stored document, List<Integer> log, String text) {
		if (document.type == Page.class) {
			return new Page(document.id, null, log, text);
		}
		return (document.type == Card.class) ? new Card(document.id, log, text) : new Sheet(document.id, log, text);
	}

	private void make(Step step) {
		ProgramThread thread = this.threads.get(step.actor());
		Stored document = this.documents.get(step.document());
		Transaction own = thread.transaction();
		boolean ends = step.kind() == Kind.COMMIT || step.kind() == Kind.ROLL_BACK;
		boolean elsewhere = this.threads.stream()
			.filter((other) -> other != thread)
			.map(ProgramThread::transaction)
			.anyMatch((other) -> other != null && other.busy.contains(document));
		if (!ends && (elsewhere || own != null && own.ended)) {
			return;
		}
		int made = this.trace.size();
		this.trace.add(thread.name + ": " + step.kind() + " " + document.id);
		try {
			Object said = make(step, thread, document, own);
			if (said == null) {
				this.trace.remove(made);
				return;
			}
			this.trace.set(made, this.trace.get(made) + " " + said);
			look();
		}
		catch (AssertionError | RuntimeException ex) {
			this.trace.set(made, this.trace.get(made) + " !");
			throw ex;
		}
	}

	private @Nullable Object make(Step step, ProgramThread thread, Stored document, @Nullable Transaction own) {
		int choice = step.choice();
		boolean writtenPlainly = own != null && own.plain.contains(document);
		return switch (step.kind()) {
			case LOCK, TRY_LOCK -> (!writtenPlainly) ? lock(thread, document, step.kind()) : null;
			case EXECUTE -> (!writtenPlainly) ? execute(thread, document) : null;
			case LEAVE -> leave(thread);
			case SAVE -> save(thread, document, choice, true);
			case SAVE_AND_KEEP -> save(thread, document, choice, false);
			case DELETE -> delete(thread, document, choice);
			case CLOSE -> close(thread, document, choice);
			case TICKET -> ticket(thread, document, choice);
			case RESUME -> (!writtenPlainly) ? resume(thread, document, choice) : null;
			case RENEW_TICKET -> (!writtenPlainly) ? renewTicket(thread, document, choice) : null;
			case RELEASE_TICKET -> (!writtenPlainly) ? releaseTicket(thread, document, choice) : null;
			case RENEW -> (!writtenPlainly) ? renew(thread, document, choice) : null;
			case TAKE_OVER -> (!writtenPlainly) ? takeOver(thread, document) : null;
			case BREAK -> (!writtenPlainly) ? breakLock(thread, document) : null;
			case LOAD -> load(thread, document);
			case PLAIN_SAVE -> plainSave(thread, document, choice);
			case PLAIN_UPDATE -> plainUpdate(thread, document);
			case UNMAPPED_UPDATE -> unmappedUpdate(document);
			case FENCED_UPDATE -> fencedUpdate(thread, document, choice);
			case OPTIMISTIC_UPDATE -> optimisticUpdate(thread, document);
			case INSERT -> insert(thread, document);
			case RUN_OUT -> runOut();
			case BEGIN -> begin(thread);
			case COMMIT -> end(thread, true);
			case ROLL_BACK -> end(thread, false);
		};
	}

	private static LockSettings settings(Duration wait) {
		return LockSettings.builder()
			.ttl(TTL)
			.autoRenew(false)
			.waitTimeout(wait)
			.retryInterval(Duration.ofMillis(10))
			// A busy machine answers late
			.operationTimeout(Duration.ofSeconds(20))
			.build();
	}

	private LockSettings settings(ProgramThread thread, Stored document, View before) {
		return (isFree(before) && !isBehind(thread, document)) ? FREE : TAKEN;
	}

	private static boolean isFree(View before) {
		return before.holder == null || before.lapsed;
	}

	// Others of its JVM wait until it has noticed the loss
	private static boolean isBehind(ProgramThread thread, Stored document) {
		return document.closing || document.held.stream()
			.anyMatch((held) -> held.thread.instance == thread.instance && held.isOpen() && !held.resumed);
	}

	private @Nullable Object lock(ProgramThread thread, Stored document, Kind kind) {
		View before = view(document);
		LockSettings settings = settings(thread, document, before);
		DocumentLockOperations documents = thread.instance.documents();
		boolean unavailable;
		Outcome outcome = thread.call((kind == Kind.LOCK) ? () -> documents.lock(document.type, document.id, settings)
				: () -> documents.tryLock(document.type, document.id, settings));
		Object granted = (outcome.value() instanceof Optional<?> found) ? found.orElse(null) : outcome.value();
		unavailable = (outcome.isDone()) ? granted == null : outcome.is(LockUnavailableException.class);
		return claimed(thread, document, before, outcome, granted, unavailable);
	}

	private String claimed(ProgramThread thread, Stored document, View before, Outcome outcome,
			@Nullable Object granted, boolean unavailable) {
		Transaction transaction = thread.transaction();
		boolean inTransaction = transaction != null;
		boolean second = document.held.stream()
			.anyMatch((held) -> held.thread == thread && held.isOpen() && held.isHolder() && !before.lapsed
					&& !held.unsure);
		boolean perhapsSecond = document.held.stream().anyMatch((held) -> held.thread == thread && held.isOpen());
		if (granted instanceof LockedDocument<?> locked) {
			check(!second, "a second claim of a thread was granted");
			check(before.exists, "a document that does not exist was locked");
			boolean same = before.holder != null && before.holder == locked.fence();
			check(before.holder == null || before.lapsed || same && inTransaction, "a second holder");
			if (!same) {
				document.held.forEach((held) -> held.unsure |= inTransaction && held.thread == thread);
			}
			Held held = held(thread, document, locked, false, view(document).version);
			document.holder = locked.fence();
			if (transaction != null) {
				held.unsure = true;
				transaction.relied.add(held);
			}
			check(inTransaction || Set.copyOf(held.locked.entity().log()).equals(document.marks),
					"the grant shows " + held.locked.entity().log());
			return "granted, fence " + locked.fence();
		}
		if (second) {
			expect(outcome, IllegalStateException.class);
		}
		else if (!(perhapsSecond && (outcome.is(IllegalStateException.class) || outcome.is(LockLostException.class)))
				&& !inTransaction) {
			if (!before.exists) {
				expect(outcome, NoSuchDocumentException.class);
			}
			else {
				check(unavailable && (!isFree(before) || isBehind(thread, document)),
						"refused, though free: " + outcome);
			}
		}
		return "refused: " + outcome;
	}

	@SuppressWarnings("unchecked")
	private static Held held(ProgramThread thread, Stored document, Object locked, boolean resumed, long version) {
		Held held = new Held((LockedDocument<? extends Entry>) locked, thread, document, resumed, version);
		document.held.add(held);
		return held;
	}

	private @Nullable Object execute(ProgramThread thread, Stored document) {
		if (thread.frames.size() > 3) {
			return null;
		}
		View before = view(document);
		LockSettings settings = settings(thread, document, before);
		List<Held> around = document.held.stream().filter((held) -> held.thread == thread && held.isOpen()).toList();
		Frame frame = new Frame(null, null);
		Outcome outcome = thread.enter(frame, (callback) -> thread.instance.documents()
			.execute(document.type, document.id, (request) -> request.settings(settings), (locked) -> {
				callback.within(locked);
				return null;
			}));
		if (outcome.isDone() && outcome.value() != null) {
			thread.frames.push(frame);
			for (Held held : around) {
				if (held.locked == outcome.value()) {
					return "within the hold around it";
				}
			}
		}
		String said = claimed(thread, document, before, outcome, outcome.value(),
				outcome.is(LockUnavailableException.class));
		if (outcome.isDone()) {
			frame.held = document.held.get(document.held.size() - 1);
		}
		return said;
	}

	private @Nullable Object leave(ProgramThread thread) {
		Frame frame = thread.frames.peek();
		if (frame == null || frame.transaction() != null
				|| frame.held != null && isBusy(frame.held.document) && thread.transaction() == null) {
			return null;
		}
		thread.frames.pop();
		Held held = frame.held;
		boolean certain = held == null
				|| held.isOpen() && held.isHolder() && !view(held.document).lapsed && thread.transaction() == null;
		Outcome outcome = thread.leave(frame);
		check(outcome.isDone() || !certain && outcome.is(LockLostException.class), "the end failed: " + outcome);
		if (held != null) {
			closed(thread, held);
		}
		return outcome;
	}

	// The transaction of who closes it and the one of who locked it may have written
	// under it
	private void closed(ProgramThread thread, Held held) {
		Set<Transaction> transactions = Stream.of(held.thread, thread)
			.flatMap((one) -> Stream.ofNullable(one.transaction()))
			.collect(Collectors.toSet());
		if (held.status == Status.WRITTEN) {
			held.closing = true;
		}
		if (!held.isOpen()) {
			return;
		}
		held.status = Status.OVER;
		transactions.forEach((transaction) -> transaction.relied.add(held));
		if (held.resumed || !held.isHolder()) {
			return;
		}
		if (!transactions.isEmpty() || held.unsure) {
			held.document.closing = true;
			held.closing = true;
			for (Transaction transaction : List.copyOf(transactions)) {
				Runnable over = () -> {
					if (transactions.remove(transaction) && transactions.isEmpty()) {
						released(held);
					}
				};
				transaction.undoes.add(over);
				transaction.commits.add(over);
			}
		}
		else {
			held.document.robbed();
		}
	}

	private static void released(Held held) {
		held.document.closing = false;
		// Locked again in the transaction that kept it, it goes on under its fence
		boolean again = held.document.held.stream()
			.anyMatch((other) -> other != held && other.isOpen() && !other.resumed
					&& other.locked.fence() == held.locked.fence());
		if (held.isHolder() && !again) {
			held.document.robbed();
		}
	}

	private @Nullable Held choose(ProgramThread thread, Stored document, int choice) {
		List<Held> all = document.held.stream()
			.filter((held) -> held.thread.instance == thread.instance && (held.thread == thread || choice % 4 == 0))
			.toList();
		List<Held> open = all.stream().filter(Held::isOpen).toList();
		if (all.isEmpty()) {
			return null;
		}
		return (open.isEmpty() || choice % 8 == 7) ? all.get(choice % all.size()) : open.get(open.size() - 1);
	}

	private @Nullable Object save(ProgramThread thread, Stored document, int choice, boolean releases) {
		Held held = choose(thread, document, choice);
		if (held == null) {
			return null;
		}
		DocumentLockOperations documents = thread.instance.documents();
		Entry entity = held.locked.entity().with(++this.marks);
		// Now: what is refused later may change the same object
		List<Integer> log = List.copyOf(entity.log());
		String text = entity.text();
		@SuppressWarnings("unchecked")
		LockedDocument<Entry> locked = (LockedDocument<Entry>) held.locked;
		// The template may have raised it, once the lock had run out
		boolean current = Objects.equals(entity.version(), held.base);
		Outcome outcome = write(thread, held, choice, current,
				(releases) ? () -> locked.save(entity) : () -> locked.saveAndKeep(entity), releases,
				() -> document.saved(log, text));
		Entry seen = (outcome.value() instanceof Entry saved) ? saved : entity;
		thread.seen.add(new Seen(document, seen, (seen == entity) ? null : thread.transaction()));
		return "with mark " + this.marks + ": " + ((outcome.isDone()) ? "saved" : outcome);
	}

	private @Nullable Object delete(ProgramThread thread, Stored document, int choice) {
		Held held = choose(thread, document, choice);
		if (held == null) {
			return null;
		}
		return write(thread, held, choice, true, () -> {
			held.locked.delete();
			return null;
		}, true, () -> document.deleted(held.locked.entity()));
	}

	private Outcome write(ProgramThread thread, Held held, int choice, boolean current,
			Callable<@Nullable Object> write, boolean releases, Runnable effect) {
		Stored document = held.document;
		View before = view(document);
		Transaction transaction = thread.transaction();
		Boolean lost = (transaction == null && choice % 12 > 9) ? choice % 2 == 0 : null;
		Outcome outcome = thread.call(() -> {
			thread.instance.template.lose(lost);
			try {
				return write.call();
			}
			finally {
				thread.instance.template.lose(null);
			}
		});
		if (transaction != null) {
			writtenWithin(transaction, held, outcome, releases, effect);
			return outcome;
		}
		boolean may = held.isOpen() && held.isHolder() && before.version == held.base;
		if (held.isOpen() && lost != null) {
			expect(outcome, DataAccessResourceFailureException.class);
			held.status = Status.UNKNOWN;
			if (may && lost) {
				effect.run();
				if (releases) {
					document.robbed();
				}
				else {
					held.writes = document.writes;
				}
			}
		}
		else if (may && !(held.unsure && !outcome.isDone())) {
			check(outcome.isDone(), "refused: " + outcome);
			effect.run();
			if (releases) {
				held.status = Status.OVER;
				document.robbed();
			}
			else {
				held.base++;
				held.writes = document.writes;
			}
		}
		else if (!held.unsure || outcome.isDone()) {
			expect(outcome,
					(!held.isOpen()) ? IllegalStateException.class
							: (!current) ? OptimisticLockingFailureException.class
									: (!held.isHolder()) ? LockLostException.class : DocumentChangedException.class);
		}
		return outcome;
	}

	private void writtenWithin(Transaction transaction, Held held, Outcome outcome, boolean releases, Runnable effect) {
		if (outcome.isDone()) {
			check(held.isOpen() && held.isHolder(), "written without the lock");
			transaction.busy.add(held.document);
			held.uncommitted = true;
			transaction.commits.add(() -> {
				effect.run();
				held.uncommitted = false;
				held.writes = held.document.writes;
				if (releases) {
					held.status = Status.OVER;
					held.document.closing = false;
					held.document.robbed();
				}
			});
			long base = held.base;
			transaction.undoes.add(() -> {
				held.base = base;
				held.uncommitted = false;
				held.status = (held.closing) ? Status.OVER : Status.OPEN;
				if (held.closing) {
					released(held);
				}
			});
			if (releases) {
				held.status = Status.WRITTEN;
			}
			else {
				held.base++;
			}
			return;
		}
		boolean certain = held.isOpen() && transaction.kept.contains(held)
				&& !transaction.plain.contains(held.document);
		check(!certain, "refused though the transaction keeps the lock: " + outcome);
		failedWithin(transaction, outcome, true);
	}

	private void failedWithin(Transaction transaction, Outcome outcome, boolean ours) {
		Throwable failure = Objects.requireNonNull(outcome.failure());
		boolean conflict = isConflict(failure);
		transaction.ended |= conflict;
		check(!ours || !conflict || failure instanceof ConcurrencyFailureException,
				"a conflict that @Retryable does not know: " + outcome);
		check(!ours || failure instanceof IllegalStateException || failure instanceof LockLostException
				|| failure instanceof ConcurrencyFailureException || failure instanceof LockUnavailableException
				|| failure instanceof StaleFenceException, "no exception that says what to do: " + outcome);
	}

	private static boolean isConflict(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof MongoException exception
					&& exception.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
				return true;
			}
		}
		return false;
	}

	private @Nullable Object close(ProgramThread thread, Stored document, int choice) {
		Held held = choose(thread, document, choice);
		if (held == null) {
			return null;
		}
		boolean certain = !held.isOpen() || held.isHolder() && !view(document).lapsed;
		Outcome outcome = thread.call(() -> {
			held.locked.close();
			return null;
		});
		check(outcome.isDone() || !certain && outcome.is(LockLostException.class), "not closed: " + outcome);
		closed(thread, held);
		return outcome;
	}

	private @Nullable Object ticket(ProgramThread thread, Stored document, int choice) {
		Held held = choose(thread, document, choice);
		if (held == null) {
			return null;
		}
		Outcome outcome = thread.call(() -> held.locked.ticket());
		boolean may = held.status != Status.OVER && held.status != Status.WRITTEN && !held.uncommitted;
		if (!may) {
			expect(outcome, IllegalStateException.class);
			return outcome;
		}
		check(outcome.isDone(), "not passed on: " + outcome);
		LockTicket ticket = (LockTicket) Objects.requireNonNull(outcome.value());
		Ticket known = new Ticket(LockTicket.of(ticket.text()), (HeldDocument<?>) held.locked, held.writes);
		known.dead = held.dead;
		document.tickets.add(known);
		if (held.isOpen() && !held.resumed) {
			held.status = Status.PASSED_ON;
		}
		return "of version " + known.version;
	}

	private static @Nullable Ticket choose(Stored document, int choice) {
		List<Ticket> tickets = document.tickets;
		return (tickets.isEmpty()) ? null
				: tickets.get((choice % 4 == 0) ? choice % tickets.size() : tickets.size() - 1);
	}

	private @Nullable Object resume(ProgramThread thread, Stored document, int choice) {
		Ticket ticket = choose(document, choice);
		if (ticket == null) {
			return null;
		}
		View before = view(document);
		Outcome outcome = thread
			.call(() -> thread.instance.documents().resume(document.type, document.id, ticket.ticket));
		if (isRefusedTicket(thread, document, ticket, before, outcome)) {
			return "refused: " + outcome;
		}
		document.held.stream()
			.filter((held) -> held.thread == thread && held.resumed && held.isOpen())
			.forEach((held) -> {
				held.status = (before.lapsed || held.robbed) ? held.status : Status.PASSED_ON;
				held.unsure |= held.isOpen();
			});
		Held held = held(thread, document, Objects.requireNonNull(outcome.value()), true, before.version);
		check(Set.copyOf(held.locked.entity().log()).equals(document.marks),
				"it shows " + held.locked.entity().log() + " and not " + document.marks);
		held.unsure = thread.transaction() != null;
		return "resumed";
	}

	private boolean isRefusedTicket(ProgramThread thread, Stored document, Ticket ticket, View before,
			Outcome outcome) {
		if (thread.transaction() != null && outcome.is(IllegalStateException.class)) {
			return true;
		}
		if (!ticket.isHolder(document)) {
			if (!document.closing) {
				expect(outcome, LockLostException.class);
			}
			return true;
		}
		if (before.version != ticket.version) {
			expect(outcome, DocumentChangedException.class);
			DocumentChangedException changed = (DocumentChangedException) Objects.requireNonNull(outcome.failure());
			Entry shown = changed.getDocument(document.type);
			check(Set.copyOf(shown.log()).equals(document.marks), "it shows " + shown.log());
			ticket.ticket = changed.getTicket();
			ticket.version = before.version;
			ticket.writes = document.writes;
			return true;
		}
		check(outcome.isDone(), "refused: " + outcome);
		return false;
	}

	private @Nullable Object renewTicket(ProgramThread thread, Stored document, int choice) {
		Ticket ticket = choose(document, choice);
		if (ticket == null) {
			return null;
		}
		Outcome outcome = thread.call(() -> {
			thread.instance.documents().renew(document.type, document.id, ticket.ticket);
			return null;
		});
		if (thread.transaction() != null && outcome.is(IllegalStateException.class)) {
			return outcome;
		}
		if (ticket.isHolder(document)) {
			check(outcome.isDone(), "not renewed: " + outcome);
		}
		else if (!document.closing) {
			expect(outcome, LockLostException.class);
		}
		return outcome;
	}

	private @Nullable Object releaseTicket(ProgramThread thread, Stored document, int choice) {
		Ticket ticket = choose(document, choice);
		if (ticket == null) {
			return null;
		}
		Outcome outcome = thread
			.call(() -> thread.instance.documents().release(document.type, document.id, ticket.ticket));
		if (thread.transaction() != null && outcome.is(IllegalStateException.class)) {
			return outcome;
		}
		check(outcome.isDone(), "not released: " + outcome);
		check(Objects.equals(outcome.value(), ticket.isHolder(document)) || document.closing, "released: " + outcome);
		if (ticket.isHolder(document) && Boolean.TRUE.equals(outcome.value())) {
			document.robbed();
		}
		return outcome;
	}

	private @Nullable Object renew(ProgramThread thread, Stored document, int choice) {
		Held held = choose(thread, document, choice);
		if (held == null) {
			return null;
		}
		boolean certain = held.isOpen() && held.isHolder() && !view(document).lapsed && thread.transaction() == null
				&& !held.unsure;
		Outcome outcome = thread.call(() -> {
			held.locked.handle().renew();
			return null;
		});
		check(outcome.isDone() || !certain, "not renewed: " + outcome);
		return outcome;
	}

	private @Nullable Object takeOver(ProgramThread thread, Stored document) {
		View before = view(document);
		long fence = (before.holder != null) ? before.holder : 1;
		Outcome outcome = thread
			.call(() -> thread.instance.documents().takeOver(document.type, document.id, fence, TAKEN));
		if (!outcome.isDone()) {
			boolean own = document.held.stream().anyMatch((held) -> held.thread == thread && held.isOpen());
			check(outcome.is(NoSuchDocumentException.class) && !before.exists
					|| outcome.is(LockUnavailableException.class) && isBehind(thread, document)
					|| own && (outcome.is(IllegalStateException.class) || outcome.is(LockLostException.class))
					|| thread.transaction() != null, "not taken over: " + outcome);
			return "refused: " + outcome;
		}
		document.robbed();
		document.tickets.forEach((ticket) -> ticket.dead = true);
		return claimed(thread, document, before.free(), outcome, outcome.value(), false);
	}

	private @Nullable Object breakLock(ProgramThread thread, Stored document) {
		Outcome outcome = thread.call(() -> thread.instance.documents().breakLock(document.type, document.id));
		if (thread.transaction() != null && outcome.is(IllegalStateException.class)) {
			return outcome;
		}
		check(outcome.isDone(), "not broken: " + outcome);
		boolean broken = ((Optional<?>) Objects.requireNonNull(outcome.value())).isPresent();
		check(broken == (document.holder != null) || document.closing, "broken: " + broken);
		document.robbed();
		return "broken: " + broken;
	}

	private @Nullable Object load(ProgramThread thread, Stored document) {
		Outcome outcome = thread.call(() -> thread.instance.template.findById(document.id, document.type));
		Transaction transaction = thread.transaction();
		if (!outcome.isDone()) {
			failedWithin(Objects.requireNonNull(transaction), outcome, false);
			return outcome;
		}
		if (outcome.value() instanceof Entry entity) {
			thread.seen.add(new Seen(document, entity, transaction));
			return "version " + entity.version();
		}
		return "nothing";
	}

	private @Nullable Object plainSave(ProgramThread thread, Stored document, int choice) {
		List<Seen> seen = thread.seen.stream().filter((one) -> one.document() == document).toList();
		if (seen.isEmpty()) {
			return null;
		}
		Seen chosen = seen.get((choice % 3 == 0) ? choice % seen.size() : seen.size() - 1);
		Long version = chosen.entity().version();
		Entry entity = chosen.entity().with(++this.marks);
		View before = view(document);
		Outcome outcome = thread.call(() -> thread.instance.template.save(entity));
		Transaction transaction = thread.transaction();
		String said = "of version " + version + " with mark " + this.marks + ": ";
		List<Held> own = document.held.stream()
			.filter((held) -> held.thread.instance == thread.instance)
			.filter((held) -> held.isOpen() || held.status == Status.UNKNOWN || held.status == Status.WRITTEN
					|| held.closing)
			.toList();
		if (!outcome.isDone()) {
			if (outcome.is(IllegalStateException.class) && !own.isEmpty() || outcome.is(LockUnavailableException.class)
					&& document.type == Card.class && before.holder != null) {
				check(Objects.equals(version, chosen.entity().version()),
						"the refused object has version " + chosen.entity().version() + " and not " + version);
				return said + outcome;
			}
			if (chosen.entity() instanceof Sheet sheet) {
				// Spring Data leaves it raised where it finds another one
				sheet.version = version;
			}
			thread.seen.remove(chosen);
			if (transaction != null) {
				failedWithin(transaction, outcome, false);
				return said + outcome;
			}
			expect(outcome, OptimisticLockingFailureException.class);
			check(!before.exists || version == null || before.version != version, "refused: " + outcome);
			return said + outcome;
		}
		boolean guarded = own.stream()
			.anyMatch((held) -> held.isOpen() && held.isHolder() && !before.lapsed && !held.unsure);
		check(!guarded, "saved beside the lock of this instance");
		check(transaction != null || document.type != Card.class || before.holder == null || before.lapsed
				|| document.closing, "saved though somebody has its lock");
		Entry saved = (Entry) Objects.requireNonNull(outcome.value());
		thread.seen.remove(chosen);
		thread.seen.add(new Seen(document, saved, transaction));
		wrote(thread, document, () -> {
			document.saved(saved);
			document.forgotten();
		});
		return said + "saved";
	}

	private void wrote(ProgramThread thread, Stored document, Runnable effect) {
		Transaction transaction = thread.transaction();
		if (transaction == null) {
			effect.run();
			return;
		}
		transaction.busy.add(document);
		transaction.plain.add(document);
		transaction.commits.add(effect);
	}

	private @Nullable Object plainUpdate(ProgramThread thread, Stored document) {
		int mark = ++this.marks;
		Outcome outcome = thread.call(() -> thread.instance.template.updateFirst(ProgramWorld.byId(document.id),
				new Update().push("log", mark), document.type));
		return pushed(thread, document, mark, outcome, false);
	}

	private Object pushed(ProgramThread thread, Stored document, int mark, Outcome outcome, boolean ours) {
		Transaction transaction = thread.transaction();
		if (!outcome.isDone() && transaction != null) {
			failedWithin(transaction, outcome, ours);
			return outcome;
		}
		check(outcome.isDone(), "refused: " + outcome);
		long matched = ((UpdateResult) Objects.requireNonNull(outcome.value())).getMatchedCount();
		check(transaction != null || matched == ((document.exists) ? 1 : 0), "matched " + matched);
		if (matched != 0) {
			wrote(thread, document, () -> document.pushed(mark));
		}
		return "with mark " + mark + ": " + matched;
	}

	private @Nullable Object unmappedUpdate(Stored document) {
		if (isBusy(document)) {
			return null;
		}
		int mark = ++this.marks;
		this.world.write(document.id, document.type, new Document("$set", new Document("unmapped.m" + mark, true)));
		if (document.exists) {
			document.unmapped.add(mark);
		}
		return "with mark " + mark;
	}

	private boolean isBusy(Stored document) {
		return this.threads.stream()
			.map(ProgramThread::transaction)
			.anyMatch((transaction) -> transaction != null && transaction.busy.contains(document));
	}

	private @Nullable Object fencedUpdate(ProgramThread thread, Stored document, int choice) {
		Held held = this.documents.stream()
			.flatMap((one) -> one.held.stream())
			.filter((one) -> one.thread == thread)
			.reduce((former, latter) -> latter)
			.orElse(null);
		if (held == null) {
			return null;
		}
		int mark = ++this.marks;
		View before = view(document);
		Outcome outcome = thread.call(() -> thread.instance.fenced.update(held.locked.handle(),
				ProgramWorld.byId(document.id), new Update().push("log", mark), document.type));
		boolean stale = before.exists && before.fence > held.locked.fence();
		if (stale && thread.transaction() == null || outcome.is(StaleFenceException.class)) {
			expect(outcome, StaleFenceException.class);
			return outcome;
		}
		return pushed(thread, document, mark, outcome, true);
	}

	private @Nullable Object optimisticUpdate(ProgramThread thread, Stored document) {
		int mark = ++this.marks;
		View before = view(document);
		Outcome outcome = thread.call(() -> optimistic(thread, document.type, document.id, mark));
		Transaction transaction = thread.transaction();
		if (document.type == Card.class && before.holder != null && !before.lapsed && transaction == null
				&& (!document.closing || !outcome.isDone())) {
			expect(outcome, LockUnavailableException.class);
			return outcome;
		}
		if (!outcome.isDone() && transaction != null) {
			failedWithin(transaction, outcome, true);
			return outcome;
		}
		check(outcome.isDone(), "refused: " + outcome);
		Optional<?> updated = (Optional<?>) Objects.requireNonNull(outcome.value());
		check(transaction != null || updated.isPresent() == document.exists, "updated " + updated);
		updated.ifPresent((entity) -> wrote(thread, document, () -> document.saved((Entry) entity)));
		return "with mark " + mark;
	}

	private static <T extends Entry> Optional<T> optimistic(ProgramThread thread, Class<T> type, String id, int mark) {
		return thread.instance.updater.update(type, id, (entity) -> type.cast(entity.with(mark)));
	}

	private @Nullable Object insert(ProgramThread thread, Stored document) {
		if (document.exists || thread.transaction() != null || isBusy(document)) {
			return null;
		}
		int mark = ++this.marks;
		Entry entity = entry(document, List.of(mark), "text " + mark);
		Outcome outcome = thread.call(() -> thread.instance.template.insert(entity));
		if (outcome.is(IllegalStateException.class)
				&& document.held.stream().anyMatch((held) -> held.isOpen() || held.status == Status.UNKNOWN)) {
			check(entity.version() == null, "the refused object has version " + entity.version());
			return outcome;
		}
		check(outcome.isDone(), "not inserted: " + outcome);
		document.exists = true;
		document.forgotten();
		document.saved(entity);
		return "with mark " + mark;
	}

	private @Nullable Object runOut() {
		if (this.documents.stream().anyMatch((document) -> document.holder != null && isBusy(document))) {
			return null;
		}
		// The server's clock is not ours to set
		Date ago = Date.from(Instant.now().minus(MORE_THAN_TTL));
		for (Stored document : this.documents) {
			if (view(document).holder != null) {
				this.world.write(document.id, document.type,
						new Document("$set", new Document("lock.holders.0.renewedAt", ago)));
			}
		}
		this.world.here.clock.move(MORE_THAN_TTL);
		this.world.there.clock.move(MORE_THAN_TTL);
		return "";
	}

	private @Nullable Object begin(ProgramThread thread) {
		if (thread.transaction() != null) {
			return null;
		}
		List<Held> own = this.documents.stream()
			.flatMap((document) -> document.held.stream())
			.filter((held) -> held.thread == thread && held.isOpen() && !held.resumed)
			.toList();
		if (own.stream().anyMatch((held) -> isBusy(held.document))) {
			return null;
		}
		Outcome outcome = thread.call(() -> thread.instance.manager.getTransaction(new DefaultTransactionDefinition()));
		check(outcome.isDone(), "not begun: " + outcome);
		Transaction transaction = new Transaction((TransactionStatus) Objects.requireNonNull(outcome.value()));
		for (Held held : own) {
			View view = view(held.document);
			boolean sound = held.isHolder() && !view.lapsed && !held.unsure;
			transaction.busy.add(held.document);
			transaction.sound &= sound;
			// The transaction may renew in the store what its instance has given up
			held.unsure |= !sound;
			if (sound && view.version == held.base) {
				transaction.kept.add(held);
			}
		}
		if (!transaction.sound) {
			transaction.kept.clear();
		}
		thread.frames.push(new Frame(null, transaction));
		return "";
	}

	private @Nullable Object end(ProgramThread thread, boolean commit) {
		Frame frame = thread.frames.peek();
		Transaction transaction = (frame != null) ? frame.transaction() : null;
		if (transaction == null) {
			return null;
		}
		thread.frames.pop();
		boolean sound = transaction.sound
				&& transaction.relied.stream().allMatch((held) -> held.isHolder() && !view(held.document).lapsed);
		Outcome outcome = thread.call(() -> {
			if (commit) {
				thread.instance.manager.commit(transaction.status);
			}
			else {
				thread.instance.manager.rollback(transaction.status);
			}
			return null;
		});
		if (commit && outcome.isDone()) {
			check(!transaction.ended || transaction.commits.isEmpty(), "committed after a conflict");
			transaction.commits.forEach(Runnable::run);
		}
		else {
			check(!commit || !sound || transaction.ended, "not committed: " + outcome);
			List<Held> written = this.documents.stream()
				.flatMap((document) -> document.held.stream())
				.filter((held) -> held.uncommitted && transaction.busy.contains(held.document))
				.toList();
			for (int i = transaction.undoes.size() - 1; i >= 0; i--) {
				transaction.undoes.get(i).run();
			}
			if (outcome.is(TransactionSystemException.class)) {
				// It was unknown until MongoDB had refused it, and nothing goes on with
				// that
				written.forEach((held) -> {
					held.status = Status.OVER;
					released(held);
				});
			}
			thread.seen.removeIf((seen) -> seen.transaction() == transaction);
		}
		return outcome;
	}

	/**
	 * All is closed, and free.
	 */
	private void end() {
		this.trace.add("the end");
		// A release outside of a transaction would wait for its end
		this.threads.forEach((thread) -> end(thread, (frames) -> thread.transaction() != null));
		this.threads.forEach((thread) -> end(thread, (frames) -> !frames.isEmpty()));
		for (Stored document : this.documents) {
			for (Held held : document.held) {
				Outcome outcome = held.thread.call(() -> {
					held.locked.close();
					return null;
				});
				check(outcome.isDone() || outcome.is(LockLostException.class), "not closed: " + outcome);
				closed(held.thread, held);
			}
			document.tickets.forEach((ticket) -> releaseTicket(this.threads.get(0), document, ticket));
			if (document.held.stream().anyMatch((held) -> held.status == Status.UNKNOWN) || document.holder != null) {
				// Nobody is left who could release it
				breakLock(this.threads.get(0), document);
				breakLock(this.threads.get(2), document);
			}
		}
		look();
		await(() -> "locks are still held: " + this.world.here.held() + " and " + this.world.there.held(),
				() -> this.world.here.held() == 0 && this.world.there.held() == 0);
		for (Stored document : this.documents) {
			for (ProgramThread thread : List.of(this.threads.get(1), this.threads.get(3))) {
				if (document.exists) {
					this.trace.add(thread.name + " locks and saves " + document.id);
					check(lock(thread, document, Kind.TRY_LOCK) instanceof String said && said.startsWith("granted"),
							"not free");
					close(thread, document, 1);
					load(thread, document);
					check(Objects.requireNonNull(plainSave(thread, document, 1)).toString().endsWith("saved"),
							"not to be saved");
				}
			}
		}
		look();
	}

	private void end(ProgramThread thread, Predicate<Collection<Frame>> goesOn) {
		while (goesOn.test(thread.frames)) {
			boolean transaction = thread.frames.element().transaction() != null;
			this.trace.add(thread.name + ": ends " + ((transaction) ? end(thread, false) : leave(thread)));
		}
	}

	private void releaseTicket(ProgramThread thread, Stored document, Ticket ticket) {
		int index = document.tickets.indexOf(ticket);
		if (index >= 0) {
			Outcome outcome = thread
				.call(() -> thread.instance.documents().release(document.type, document.id, ticket.ticket));
			check(outcome.isDone(), "not released: " + outcome);
			if (Boolean.TRUE.equals(outcome.value())) {
				document.robbed();
			}
		}
	}

	// The documents as they are stored, and those who believe to hold them
	private void look() {
		for (Stored document : this.documents) {
			View[] seen = new View[1];
			await(() -> {
				View view = Objects.requireNonNull(seen[0]);
				return document.id + " has the holder " + view.holder + " and not " + document.holder;
			}, () -> {
				seen[0] = view(document);
				return document.closing || Objects.equals(seen[0].holder, document.holder);
			});
			View view = seen[0];
			check(view.exists == document.exists, document.id + ((view.exists) ? " exists" : " does not exist"));
			check(view.log.equals(List.copyOf(new TreeSet<>(view.log))) && Set.copyOf(view.log).equals(document.marks),
					document.id + " has the marks " + view.log + " and not " + document.marks);
			check(view.unmapped.equals(document.unmapped),
					document.id + " has the unmapped marks " + view.unmapped + " and not " + document.unmapped);
			if (document.exists) {
				Entry read = Objects.requireNonNull(this.world.here.template.findById(document.id, document.type));
				check(read.text().equals(document.text),
						document.id + " is read as '" + read.text() + "' and not '" + document.text + "'");
			}
			for (Held held : document.held) {
				check(held.robbed || held.isHolder() || !held.isOpen() || !held.locked.handle().isHeld(),
						held.thread.name + " believes to hold " + document.id + " with fence " + held.locked.fence());
			}
		}
	}

	private View view(Stored document) {
		return this.world.stored(document.id, document.type).map(View::of).orElse(View.NONE);
	}

	private static void check(boolean right, String wrong) {
		if (!right) {
			throw new AssertionError(wrong);
		}
	}

	private static void expect(Outcome outcome, Class<? extends Exception> type) {
		check(outcome.is(type), "expected " + type.getSimpleName() + ", but " + outcome);
	}

	private static void await(Supplier<String> wrong, BooleanSupplier right) {
		long began = System.nanoTime();
		while (!right.getAsBoolean()) {
			check(System.nanoTime() - began < PATIENCE_NANOS, wrong.get());
			Thread.onSpinWait();
		}
	}

	@Override
	public void close() {
		this.threads.forEach(ProgramThread::close);
	}

	/**
	 * A document as it is stored.
	 *
	 * @param exists whether it is
	 * @param version its version
	 * @param fence the highest that guarded writes have left
	 * @param holder the fence of its holder
	 * @param lapsed whether that one's lease has run out
	 * @param log its marks
	 * @param unmapped its marks in a field that no entity maps
	 */
	private record View(boolean exists, long version, long fence, @Nullable Long holder, boolean lapsed,
			List<Integer> log, Set<Integer> unmapped) {

		View free() {
			return new View(this.exists, this.version, this.fence, null, false, this.log, this.unmapped);
		}

		private static final View NONE = new View(false, 0, 0, null, false, List.of(), Set.of());

		static View of(Document stored) {
			Document lock = stored.get("lock", new Document());
			List<Document> holders = lock.getList("holders", Document.class, List.of());
			check(holders.size() <= 1, "two holders: " + holders);
			Document holder = (holders.isEmpty()) ? null : holders.get(0);
			Set<Integer> unmapped = new TreeSet<>();
			stored.get("unmapped", new Document())
				.keySet()
				.forEach((name) -> unmapped.add(Integer.valueOf(name.substring(1))));
			return new View(true, ((Number) stored.get("version", 0)).longValue(),
					((Number) stored.get("fence", 0)).longValue(),
					(holder != null) ? ((Number) holder.get("fence")).longValue() : null,
					holder != null && holder.getDate("renewedAt").toInstant().isBefore(Instant.now().minus(TTL)),
					stored.getList("log", Integer.class, List.of()), unmapped);
		}

	}

}
