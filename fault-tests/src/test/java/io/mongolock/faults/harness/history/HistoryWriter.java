package io.mongolock.faults.harness.history;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.history.HistoryRecord.Stalled;

/**
 * Writes down what happens in this process, at once, so that it is known though the
 * process is killed. Thread-safe.
 */
public final class HistoryWriter implements AutoCloseable {

	/** What histories call this process. */
	public static final String PROCESS = String.valueOf(ProcessHandle.current().pid());

	private static final int REMEMBERED = 100;

	/** Less is what any thread may have to wait. */
	private static final Duration STALL = Duration.ofMillis(50);

	private final ObjectOutputStream out;

	private int written;

	// All who take part in a run write to the same directory
	public HistoryWriter(Path directory) {
		try {
			// Not a channel, because an interrupt of its thread would close that
			this.out = new ObjectOutputStream(new FileOutputStream(Files.createTempFile(directory, "", "").toFile()));
			this.out.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No history can be written to " + directory, ex);
		}
	}

	public synchronized void write(HistoryRecord record) {
		try {
			if (++this.written % REMEMBERED == 0) {
				// Else all of it is kept in memory
				this.out.reset();
			}
			this.out.writeObject(record);
			this.out.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The history cannot be written: " + record, ex);
		}
	}

	// From now on, whenever this process did not run, whatever kept it: a signal, the
	// collector of garbage, or other processes
	public void writeStalls() {
		Daemon.start("stall-meter", () -> {
			for (long before = System.nanoTime();; before = System.nanoTime()) {
				LockSupport.parkNanos(STALL.dividedBy(5).toNanos());
				long now = System.nanoTime();
				if (now - before > STALL.toNanos()) {
					write(new Stalled(PROCESS, before, now));
				}
			}
		});
	}

	@Override
	public synchronized void close() {
		try {
			this.out.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// What was written by all, even if they still write
	public static List<HistoryRecord> read(Path directory) {
		List<HistoryRecord> records = new ArrayList<>();
		try (var files = Files.list(directory)) {
			for (Path file : files.toList()) {
				read(file, records);
			}
			return records;
		}
		catch (IOException | ClassNotFoundException ex) {
			throw new IllegalStateException("The history in " + directory + " cannot be read", ex);
		}
	}

	private static void read(Path file, List<HistoryRecord> records) throws IOException, ClassNotFoundException {
		try (var in = new ObjectInputStream(new BufferedInputStream(new FileInputStream(file.toFile())))) {
			while (true) {
				records.add((HistoryRecord) in.readObject());
			}
		}
		catch (EOFException ex) {
			// Half a record is what is being written, or the last of a killed process
		}
	}

}
