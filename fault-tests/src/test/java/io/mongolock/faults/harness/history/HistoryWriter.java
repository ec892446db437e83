package io.mongolock.faults.harness.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

import io.mongolock.faults.harness.history.HistoryRecord.Entered;
import io.mongolock.faults.harness.history.HistoryRecord.Left;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;

/**
 * Appends to a history. Each record is one line written at once, so that several threads
 * and processes may share the file and a killed one leaves all it wrote. Thread-safe.
 */
public final class HistoryWriter implements AutoCloseable {

	private final String process;

	/** Not a channel, as an interrupt of its thread would close that. */
	private final FileOutputStream out;

	private final AtomicLong sections = new AtomicLong();

	/**
	 * Open a history, or continue it, in the name of this process.
	 * @param file the file
	 * @throws UncheckedIOException if it cannot be written
	 */
	public HistoryWriter(Path file) {
		this(file, String.valueOf(ProcessHandle.current().pid()));
	}

	/**
	 * Open a history, or continue it.
	 * @param file the file
	 * @param process names who writes
	 * @throws UncheckedIOException if it cannot be written
	 */
	public HistoryWriter(Path file, String process) {
		this.process = process;
		try {
			this.out = new FileOutputStream(file.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The history " + file + " cannot be written", ex);
		}
	}

	/**
	 * The name of who writes.
	 * @return the process
	 */
	public String process() {
		return this.process;
	}

	/**
	 * Write that the current thread enters a critical section now.
	 * @param key what is locked
	 * @param fence the number of the grant
	 * @param limit how many may hold the lock together
	 * @return to be told when it leaves
	 */
	public OpenSection enter(String key, long fence, int limit) {
		String section = this.process + "-" + this.sections.incrementAndGet();
		write(new Entered(section, key, fence, limit, this.process, Thread.currentThread().getName(),
				System.nanoTime()));
		return (outcome, nanos) -> write(new Left(section, outcome, nanos));
	}

	/**
	 * Write a record.
	 * @param record the record
	 * @throws UncheckedIOException if it cannot be written
	 */
	public void write(HistoryRecord record) {
		try {
			this.out.write((HistoryCodec.encode(record) + "\n").getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The history cannot be written: " + record, ex);
		}
	}

	@Override
	public void close() {
		try {
			this.out.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The history cannot be closed", ex);
		}
	}

	/**
	 * A critical section that goes on.
	 */
	@FunctionalInterface
	public interface OpenSection {

		/**
		 * Write that it ended.
		 * @param outcome what the caller is told
		 * @param nanos when it ended, by {@link System#nanoTime()}
		 */
		void leave(Outcome outcome, long nanos);

		/**
		 * Write that its work has ended and nobody was told yet, as the lock is to be
		 * released first.
		 * @param nanos when it ended, by {@link System#nanoTime()}
		 */
		default void workEnded(long nanos) {
			leave(Outcome.DIED, nanos);
		}

		/**
		 * Write that it ends now.
		 * @param outcome what the caller is told
		 */
		default void leave(Outcome outcome) {
			leave(outcome, System.nanoTime());
		}

	}

}
