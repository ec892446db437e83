package io.mongolock.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

import org.opentest4j.TestAbortedException;

import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

/**
 * A standalone real server whose clock is set while it runs.
 */
record SteppedServer(RealMongo server, Path offset) implements AutoCloseable {

	// Aborts the test where there is no server or no libfaketime
	static SteppedServer start() {
		MongodBinary binary = SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException("needs a mongod: set " + MongodBinary.NAME));
		FakeTime time = FakeTime.ofThisMachine();
		try {
			Path file = Files.createTempFile("clock", ".txt");
			write(Duration.ZERO, file);
			return new SteppedServer(RealMongo.builder(binary).environment((member) -> time.offAsSaidIn(file)).start(),
					file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void offBy(Duration offset) {
		try {
			Path next = Files.createTempFile("clock", ".txt");
			write(offset, next);
			// The server never reads half of it
			Files.move(next, this.offset, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void write(Duration offset, Path file) throws IOException {
		Files.writeString(file, FakeTime.spelled(offset) + "\n");
	}

	@Override
	public void close() {
		this.server.close();
		this.offset.toFile().delete();
	}

}
