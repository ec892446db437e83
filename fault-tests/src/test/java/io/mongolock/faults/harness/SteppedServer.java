package io.mongolock.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

import org.opentest4j.TestAbortedException;

import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

/**
 * A real server whose clock is set while it runs.
 *
 * @param connectionString that server alone
 */
record SteppedServer(String connectionString, Path offset, Runnable end) implements AutoCloseable {

	// One by itself; aborts the test where there is no server or no libfaketime
	static SteppedServer standalone() {
		MongodBinary binary = SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException("needs a mongod: set " + MongodBinary.NAME));
		FakeTime time = FakeTime.ofThisMachine();
		Path file = file(Duration.ZERO);
		RealMongo server = RealMongo.builder(binary).environment((member) -> time.offAsSaidIn(file)).start();
		return new SteppedServer(server.connectionString(), file, server::close);
	}

	// The primary of a set, which stays it; aborts likewise
	static SteppedServer primary() {
		Path file = file(Duration.ZERO);
		MemberClocks clocks = MemberClocks.start();
		RealMember primary = clocks.primaryOffAsSaidIn(file);
		return new SteppedServer(clocks.set().connectionString(primary), file, clocks::close);
	}

	void offBy(Duration offset) {
		try {
			// The server never reads half of it
			Files.move(file(offset), this.offset, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path file(Duration offset) {
		try {
			return Files.writeString(Files.createTempFile("clock", ".txt"), FakeTime.spelled(offset) + "\n");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.end.run();
		this.offset.toFile().delete();
	}

}
