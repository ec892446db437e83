package io.mongolock.leader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;

import io.mongolock.LockClock;
import io.mongolock.LockSettings;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;

/**
 * A candidate as a process of its own, which says again and again for which term it
 * leads, and ends with this one.
 */
public final class CandidateJvm implements AutoCloseable {

	private static final LockSettings SETTINGS = LockSettings.builder().ttl(Duration.ofSeconds(3)).build();

	private final Path output;

	private final Process process;

	CandidateJvm(String uri) {
		try {
			this.output = Files.createTempFile("candidate", ".txt");
			this.output.toFile().deleteOnExit();
			this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
					CandidateJvm.class.getName(), uri)
				.redirectErrorStream(true)
				.redirectOutput(Redirect.appendTo(this.output.toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public static void main(String[] args) throws IOException {
		try (MongoClient client = MongoClients.create(args[0])) {
			Candidate candidate = new Candidate(new MongoLockStore(TestTemplates.template(client), "leaders", ""),
					LockClock.system(), SETTINGS);
			candidate.start();
			while (System.in.available() == 0) {
				// Read before the answer: it led then, however long this stands still
				// after
				long at = System.currentTimeMillis();
				OptionalLong term = candidate.election.term();
				if (term.isPresent()) {
					System.out.println("leads " + term.getAsLong() + " " + at);
				}
				LockSupport.parkNanos(5_000_000);
			}
			candidate.end();
		}
	}

	List<Claim> claims() {
		try (Stream<String> lines = Files.lines(this.output)) {
			// The last line may not be whole yet
			return lines.filter((line) -> line.matches("leads \\d{16} \\d{13}")).map((line) -> {
				String[] parts = line.split(" ");
				return new Claim(Long.parseLong(parts[1]), Long.parseLong(parts[2]));
			}).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The term that it led last.
	 * @return zero if there was none
	 */
	long lastTerm() {
		List<Claim> claims = claims();
		return (claims.isEmpty()) ? 0 : claims.get(claims.size() - 1).term();
	}

	void freeze() {
		signal("STOP");
	}

	void thaw() {
		signal("CONT");
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	private void signal(String name) {
		try {
			new ProcessBuilder("kill", "-" + name, "" + this.process.pid()).inheritIO().start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * That it led.
	 *
	 * @param term which term
	 * @param at in milliseconds by the clock of this machine
	 */
	record Claim(long term, long at) {

	}

}
