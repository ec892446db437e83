package io.mongolock.faults.harness.register;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.faults.harness.history.HistoryRecord;
import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Lease;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Looked;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.HistoryRecord.Read;
import io.mongolock.faults.harness.history.HistoryRecord.Stored;
import io.mongolock.faults.harness.history.HistoryRecord.Writing;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;
import io.mongolock.faults.harness.history.HistoryWriter;

/**
 * The registers of a history: each lock, and each document that is written under one,
 * with all that was done to it. Nothing here knows of stalls, of deaths or of losses that
 * were notified: a hold lasts as far as its holder has shown it, and may have ended at
 * any time after that.
 */
public final class Registers {

	private final Collection<HistoryRecord> records;

	private Registers(Collection<HistoryRecord> records) {
		this.records = records;
	}

	// Whether an order of all that was done explains it
	public static RegisterReport check(Path directory) {
		Registers registers = new Registers(HistoryWriter.read(directory));
		List<String> refusals = new ArrayList<>();
		SortedMap<String, List<Operation<LockRegister>>> locks = registers.locks();
		locks.forEach((key, lock) -> refuse("lock '" + key + "'", LockRegister.FREE, lock, refusals));
		SortedMap<String, List<Operation<DocumentRegister>>> documents = registers.documents();
		documents
			.forEach((key, document) -> refuse("document of '" + key + "'", DocumentRegister.NEW, document, refusals));
		return new RegisterReport(locks.size() + documents.size(),
				Stream.of(locks, documents).flatMap((all) -> all.values().stream()).mapToInt(List::size).sum(),
				refusals);
	}

	private static <S> void refuse(String name, S initial, List<Operation<S>> operations, List<String> refusals) {
		String refusal = Linearization.refuse(initial, operations);
		if (refusal != null) {
			refusals.add(name + ": " + refusal);
		}
	}

	// By the keys of the locks
	SortedMap<String, List<Operation<LockRegister>>> locks() {
		Map<Entered, Left> left = only(Left.class)
			.collect(Collectors.toMap(Left::section, (one) -> one, (earlier, later) -> later));
		Map<String, Long> checked = only(Checked.class)
			.collect(Collectors.toMap((check) -> check.key() + " " + check.fence(), Checked::nanos, Math::max));
		Map<String, Long> firstFences = only(Entered.class)
			.collect(Collectors.toMap((entered) -> lease(entered), Entered::fence, Math::min));
		SortedMap<String, List<Operation<LockRegister>>> locks = new TreeMap<>();
		only(Entered.class).forEach((entered) -> {
			List<Operation<LockRegister>> lock = of(entered.key(), locks);
			lock.add(new LockRegister.Acquired(lease(entered), entered.fence(), entered.limit(),
					entered.fence() > firstFences.getOrDefault(lease(entered), 0L), entered.askedNanos(),
					entered.nanos()));
			long believed = Math.max(entered.nanos(), checked.getOrDefault(entered.key() + " " + entered.fence(), 0L));
			lock.add(new LockRegister.Believed(entered.fence(), believed));
			lock.add(new LockRegister.Ended(entered.fence(), end(left.get(entered), believed)));
		});
		addLooks(locks);
		return locks;
	}

	// A look is one of each lock
	private void addLooks(Map<String, List<Operation<LockRegister>>> locks) {
		Map<String, Integer> limits = only(Entered.class)
			.collect(Collectors.toMap(Entered::key, Entered::limit, Math::max));
		only(Looked.class).forEach((look) -> {
			Map<String, Set<String>> leases = look.leases()
				.stream()
				.collect(Collectors.groupingBy(Lease::key, Collectors.mapping(Lease::grant, Collectors.toSet())));
			locks.forEach((key, lock) -> lock.add(new LockRegister.Looked(leases.getOrDefault(key, Set.of()),
					limits.getOrDefault(key, 1), look.nanos(), look.untilNanos())));
		});
	}

	private static String lease(Entered entered) {
		return (entered.grant().isEmpty()) ? entered.key() + " " + entered.fence() : entered.grant();
	}

	// A caller who was answered that all is well has excluded others to the end
	private static long end(@Nullable Left left, long believed) {
		return (left != null && left.outcome() == Outcome.COMPLETED) ? Math.max(left.nanos(), believed) : believed;
	}

	// By the keys of their locks
	SortedMap<String, List<Operation<DocumentRegister>>> documents() {
		Map<String, Long> answered = only(Wrote.class).collect(Collectors.toMap(Wrote::id, Wrote::nanos));
		Map<String, String> before = only(Writing.class).collect(Collectors.toMap(Writing::id, Writing::before));
		SortedMap<String, List<Operation<DocumentRegister>>> documents = new TreeMap<>();
		only(Read.class).forEach((read) -> of(read.key(), documents)
			.add(new DocumentRegister.Read(read.fence(), read.last(), read.fromNanos(), read.toNanos())));
		only(Writing.class)
			.forEach((write) -> of(write.key(), documents).add(new DocumentRegister.Written(write.fence(),
					write.before(), write.id(), write.nanos(), answered.getOrDefault(write.id(), Operation.NEVER))));
		only(Stored.class).forEach((stored) -> of(stored.key(), documents)
			.add(new DocumentRegister.Shown(stored.ids(), chain(stored.ids(), before))));
		return documents;
	}

	private static <S> List<Operation<S>> of(String key, Map<String, List<Operation<S>>> registers) {
		return registers.computeIfAbsent(key, (name) -> new ArrayList<>());
	}

	// What the last of them was built on, and that, and so on; the oldest first
	private static List<String> chain(List<String> ids, Map<String, String> before) {
		Deque<String> chain = new ArrayDeque<>();
		String id = (ids.isEmpty()) ? "" : ids.get(ids.size() - 1);
		while (id != null && !id.isEmpty() && chain.size() <= ids.size()) {
			chain.addFirst(id);
			id = before.get(id);
		}
		return List.copyOf(chain);
	}

	private <T> Stream<T> only(Class<T> type) {
		return this.records.stream().filter(type::isInstance).map(type::cast);
	}

}
